"""What drafts are worth: every step of a line as if time had been over there."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.draft import Draft
from runtime.gate import passing_draft
from runtime.job import StepReport
from runtime.line import Line
from tools.eval.grading import grade
from tools.eval.heldout import Question
from tools.eval.report import Share

BIN_EDGES_NATS = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, math.inf)


@dataclass(frozen=True, slots=True)
class Cut:
    """A line as it stood after a step that was not its last; `mean_entropy` is of its tokens, in nats."""

    text: str
    stable_chars: int
    mean_entropy: float


@dataclass(slots=True)
class CutWatch:
    """Collects the cuts of one line; its methods are the line's `on_step` and `on_draft`.

    Attributes:
        eos_token_ids: ids that end a line.
        positions: canvas positions that went through the model.
    """

    eos_token_ids: frozenset[int]
    cuts: list[Cut] = field(default_factory=list)
    positions: int = 0
    _canvas: int = 0
    _before: list[float] = field(default_factory=list)
    _present: list[float] = field(default_factory=list)

    def on_step(self, report: StepReport) -> None:
        """Note what the step says of its tokens."""
        if report.canvas > self._canvas:
            self._canvas, self._before = report.canvas, self._before + self._present
        ends = np.isin(report.result.argmax, list(self.eos_token_ids))
        before_end = int(np.argmax(ends)) if ends.any() else len(ends)
        self._present = report.result.entropy[:before_end].tolist()
        self.positions += len(ends)

    def on_draft(self, draft: Draft) -> None:
        """Note the text; called after `on_step`, and not after the step that ends the line."""
        entropies = self._before + self._present
        self.cuts.append(Cut(draft.text, draft.stable_chars, sum(entropies) / max(1, len(entropies))))


@dataclass(frozen=True, slots=True)
class CutLine:
    """A line with all its cuts."""

    question: Question
    line: Line
    cuts: tuple[Cut, ...]


def summarise_drafts(lines: Sequence[CutLine]) -> dict[str, Any]:
    """By mean entropy: how many drafts pass the other rules of the gate, and what those are worth; settled words."""
    bins = []
    for low, high in itertools.pairwise(BIN_EDGES_NATS):
        cuts = [(cut, line) for line in lines for cut in line.cuts if low <= cut.mean_entropy < high]
        texts = [(passing_draft(cut.text, mean_entropy=0.0), line.question) for cut, line in cuts]
        grades = [grade(question, text) for text, question in texts if text]
        asked = [verdict for verdict in grades if verdict.asked]
        odd = sum(bool(verdict.invented or verdict.misspelt) for verdict in grades)
        bins.append(
            {
                "mean_entropy_from": low,
                "drafts": len(cuts),
                "may_be_said_otherwise": Share(len(grades), len(cuts)).to_mapping(),
                "grounded": Share(sum(verdict.grounded for verdict in asked), len(asked)).to_mapping(),
                "invented_or_misspelt": Share(odd, len(grades)).to_mapping(),
            }
        )
    return {"by_mean_entropy": bins, **_settled_words(lines)}


def _settled_words(lines: Sequence[CutLine]) -> dict[str, Any]:
    """How many of the words that drafts called settled are not so in the line."""
    words = changed = lines_changed = 0
    for line in lines:
        changed_here = 0
        for cut in line.cuts:
            settled, said = cut.text[: cut.stable_chars].split(), line.line.text.split()
            words += len(settled)
            changed_here += sum(index >= len(said) or word != said[index] for index, word in enumerate(settled))
        changed += changed_here
        lines_changed += changed_here > 0
    return {
        "settled_words_changed": Share(changed, words).to_mapping(),
        "lines_with_a_changed_settled_word": Share(lines_changed, len(lines)).to_mapping(),
    }
