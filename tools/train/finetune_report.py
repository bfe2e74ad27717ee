"""What a run tells: before and after, how long other scripts would take, and how a game uses the result."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.train.finetune import FinetuneConfig
from tools.train.finetune_eval import Evaluation

SIZES = (500, 5_000, 50_000)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run that is through.

    Attributes:
        lines, held_out: of the script.
        passes: times that every line was seen.
        share: part of the change that was kept.
        train_seconds: batches only, earlier parts of a continued run included.
        total_seconds: reading, measuring and exporting too, of this command.
        before, after: the base, and the bundle that was made.
        bundle: its folder.
    """

    lines: int
    held_out: int
    passes: float
    share: float
    train_seconds: float
    total_seconds: float
    before: Evaluation
    after: Evaluation
    bundle: Path

    def seconds_for(self, lines: int, config: FinetuneConfig) -> float:
        """How long a script of so many lines would take in all: the measured time a line, times lines and passes."""
        a_line = self.train_seconds / max(1.0, self.lines * self.passes)
        return a_line * lines * config.passes_over(lines) + max(0.0, self.total_seconds - self.train_seconds)

    def to_mapping(self, config: FinetuneConfig) -> dict[str, Any]:
        """Plain data."""
        return {
            "lines": self.lines,
            "held_out": self.held_out,
            "passes": round(self.passes, 2),
            "share": self.share,
            "train_seconds": round(self.train_seconds, 1),
            "total_seconds": round(self.total_seconds, 1),
            "loss_before": round(self.before.loss, 4),
            "loss_after": round(self.after.loss, 4),
            "grounded_before": self.before.grounded.to_mapping(),
            "grounded_after": self.after.grounded.to_mapping(),
            "extrapolated_seconds": {str(lines): round(self.seconds_for(lines, config)) for lines in SIZES},
            "bundle": str(self.bundle),
        }

    def as_text(self, config: FinetuneConfig) -> str:
        """For a terminal."""
        change = 100 * (self.after.loss / self.before.loss - 1)
        times = ", ".join(f"{lines:,} lines {in_words(self.seconds_for(lines, config))}" for lines in SIZES)
        loss = f"{self.before.loss:.2f} -> {self.after.loss:.2f} nats a token ({change:+.0f} %)"
        model = f'"{self.bundle}"' if " " in str(self.bundle) else self.bundle
        return "\n".join(
            (
                f"held-out lines   loss {loss}, {self.held_out} lines",
                f"facts of others  {_share(self.before)} -> {_share(self.after)} answered from the prompt",
                f"kept             {100 * self.share:.0f} % of the change after {self.passes:.1f} passes",
                f"time             training {in_words(self.train_seconds)}, in all {in_words(self.total_seconds)}",
                f"at this rate     {times} (extrapolated from {self.lines:,} lines)",
                f"model            {self.bundle}",
                "",
                "The game uses it with:",
                f"  python -m runtime.serve --model {model}",
            )
        )


def _share(evaluation: Evaluation) -> str:
    share = evaluation.grounded.to_mapping()
    return f"{100 * share['share']:.1f} % ({share['hits']} of {share['total']})"


def in_words(seconds: float) -> str:
    """A time for people: seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def write_report(outcome: Outcome, config: FinetuneConfig, folder: Path) -> None:
    """Leave the figures beside the model, as report.json."""
    about = {"figures": outcome.to_mapping(config), "settings": {k: str(v) for k, v in asdict(config).items()}}
    (folder / "report.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
