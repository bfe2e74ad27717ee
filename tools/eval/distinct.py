"""How many different lines the same question gets."""

from collections.abc import Sequence
from typing import Any

from runtime import Palaver
from tools.eval.heldout import Question
from tools.eval.report import Share

SEEDS = 20
ENOUGH = 8


def count_distinct(palaver: Palaver, question: Question, steps: int, sampler: str) -> int:
    """Different lines that a question gets with SEEDS seeds."""
    exchange = question.exchange
    asked = (
        palaver.ask(question.npc, exchange.player, seed=seed, steps=steps, history=exchange.history, sampler=sampler)
        for seed in range(SEEDS)
    )
    return len({line.text for line in asked})


def summarise_distinct(counts: Sequence[int]) -> dict[str, Any]:
    """Mean of the counts, and the share of questions with at least ENOUGH different lines."""
    return {
        "seeds": SEEDS,
        "mean": round(sum(counts) / max(1, len(counts)), 2),
        f"at_least_{ENOUGH}": Share(sum(count >= ENOUGH for count in counts), len(counts)).to_mapping(),
    }
