"""Figures over many graded lines, with the uncertainty that their number leaves."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtime.line import Line
from tools.eval.grading import Grade
from tools.eval.heldout import Question

_Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % confidence interval (Wilson's score interval)."""

    hits: int
    total: int

    def to_mapping(self) -> dict[str, float | int]:
        """Plain data: hits, total, share, low, high."""
        if self.total == 0:
            return {"hits": 0, "total": 0, "share": 0.0, "low": 0.0, "high": 1.0}
        share, z2 = self.hits / self.total, _Z_95**2
        scale = 1 + z2 / self.total
        centre = (share + z2 / (2 * self.total)) / scale
        spread = _Z_95 * math.sqrt(share * (1 - share) / self.total + z2 / (4 * self.total**2)) / scale
        return {
            "hits": self.hits,
            "total": self.total,
            "share": round(share, 4),
            "low": round(max(0.0, centre - spread), 4),
            "high": round(min(1.0, centre + spread), 4),
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """One question with the line it got and its grade."""

    question: Question
    line: Line
    grade: Grade


SHARES = (
    *("grounded", "grounded_open", "grounded_later", "betrayed", "out_of_character"),
    *("invented", "misspelt", "ill_formed", "empty", "repeated"),
)
OPEN_INTENTS = ("open", "open_head")


def _grounded(answers: Sequence[Answered]) -> dict[str, float | int]:
    return Share(sum(answer.grade.grounded for answer in answers), len(answers)).to_mapping()


def summarise(answers: Sequence[Answered]) -> dict[str, Any]:
    """The report of an evaluation as plain data."""
    asked = [answer for answer in answers if answer.grade.asked]
    count = len(answers)
    kept = [answer for answer in answers if answer.question.exchange.forbidden]
    texts = Counter(answer.line.text for answer in asked)
    made_up = [answer for answer in asked if answer.question.exchange.intent in OPEN_INTENTS]
    later = [answer for answer in asked if answer.question.exchange.history]
    by_intent: dict[str, list[bool]] = {}
    for answer in asked:
        by_intent.setdefault(answer.question.exchange.intent, []).append(answer.grade.grounded)
    return {
        "lines": count,
        "grounded": _grounded(asked),
        "grounded_open": _grounded(made_up),
        "grounded_later": _grounded(later),
        "betrayed": Share(sum(answer.grade.betrayed for answer in kept), len(kept)).to_mapping(),
        "out_of_character": Share(sum(answer.grade.out_of_character for answer in answers), count).to_mapping(),
        "invented": Share(sum(bool(answer.grade.invented) for answer in answers), count).to_mapping(),
        "misspelt": Share(sum(bool(answer.grade.misspelt) for answer in answers), count).to_mapping(),
        "ill_formed": Share(sum(answer.grade.ill_formed for answer in answers), count).to_mapping(),
        "empty": Share(sum(answer.line.finish_reason == "empty" for answer in answers), count).to_mapping(),
        "repeated": Share(sum(times - 1 for times in texts.values()), len(asked)).to_mapping(),
        "mean_steps": round(sum(answer.line.steps_done for answer in answers) / max(1, count), 2),
        "mean_tokens": round(sum(answer.line.tokens for answer in answers) / max(1, count), 2),
        "mean_ms": round(sum(answer.line.timings.total_ms for answer in answers) / max(1, count), 2),
        "grounded_by_intent": {intent: f"{sum(found)}/{len(found)}" for intent, found in sorted(by_intent.items())},
    }


def as_text(report: dict[str, Any]) -> str:
    """The report for a terminal."""
    rows = [f"{report['lines']} lines"]
    for key in SHARES:
        share = report[key]
        rows.append(
            f"{key:16} {100 * share['share']:5.1f} %  ({share['hits']} of {share['total']}, "
            f"95 % interval {100 * share['low']:.1f} to {100 * share['high']:.1f})"
        )
    rows.append(f"mean of {report['mean_steps']} steps, {report['mean_tokens']} tokens, {report['mean_ms']} ms a line")
    if "distinct" in report:
        distinct = report["distinct"]
        rows.append(f"{distinct['mean']} different lines with {distinct['seeds']} seeds, on average")
    rows += [f"  {intent:18} {found}" for intent, found in report["grounded_by_intent"].items()]
    return "\n".join(rows)
