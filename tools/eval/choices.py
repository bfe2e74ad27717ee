"""`python -m tools.eval.choices`: which of four authored answers fits, and which action a line carries out.

The four answers are what one character says to four different questions. What a line carries out is one of the calls
that its character has declared, or nothing; the line is the corpus's own, half of them carry something out.
With `--fit` the same is done on the training side of the corpus, and the numbers in `runtime/choice_settings.py` are
written anew.
"""

import argparse
import itertools
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from runtime import choice_settings
from runtime.bundle import load_bundle
from runtime.choice_settings import ACTION_MARGIN, CHOICE_TEMPERATURE, UNASKED_WEIGHT
from runtime.errors import PalaverError
from runtime.pocket import POCKET_MODEL
from tools.eval.choice_scores import ScoredAction, ScoredChoice, Scorer, action_questions, choice_questions
from tools.eval.report import Share

BINS = 10
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
TEMPERATURES = tuple(round(0.02 * 1.15**power, 3) for power in range(35))

Item = TypeVar("Item")


def likelihoods(choice: ScoredChoice, weight: float, temperature: float) -> tuple[float, ...]:
    """Probability of each option, with these settings."""
    scores = choice.scores(weight)
    odds = np.exp((scores - scores.max()) / temperature)
    return tuple((odds / odds.sum()).tolist())


def mean_loss(choices: Sequence[ScoredChoice], weight: float, temperature: float) -> float:
    """Mean negative log-likelihood of the right options, in nats."""
    of_right = [likelihoods(choice, weight, temperature)[choice.right] for choice in choices]
    return -sum(math.log(max(probability, 1e-12)) for probability in of_right) / len(choices)


def calibration_error(choices: Sequence[ScoredChoice], weight: float, temperature: float) -> float:
    """Expected calibration error (Guo et al. 2017): how far the best option's probability is from its share of hits."""
    told = [likelihoods(choice, weight, temperature) for choice in choices]
    best = np.array([max(probabilities) for probabilities in told])
    hit = np.array(
        [int(np.argmax(probabilities)) == choice.right for probabilities, choice in zip(told, choices, strict=True)]
    )
    bins = np.minimum((best * BINS).astype(int), BINS - 1)
    gaps = (abs(best[bins == number].sum() - hit[bins == number].sum()) for number in range(BINS))
    return float(sum(gaps)) / len(choices)


def fitted(choices: Sequence[ScoredChoice], actions: Sequence[ScoredAction]) -> dict[str, float]:
    """The settings that fit best: least loss of choices, most actions right (of margins as good, the middle one)."""
    weight, temperature = min(
        itertools.product(WEIGHTS, TEMPERATURES), key=lambda settings: mean_loss(choices, *settings)
    )
    margins = sorted({action.margin for action in actions})
    between = [round((low + high) / 2, 3) for low, high in itertools.pairwise([margins[0] - 1.0, *margins])]
    correct = {margin: sum(action.correct(margin) for action in actions) for margin in between}
    best = [margin for margin in between if correct[margin] == max(correct.values())]
    return {"UNASKED_WEIGHT": weight, "CHOICE_TEMPERATURE": temperature, "ACTION_MARGIN": best[len(best) // 2]}


def summarise(choices: Sequence[ScoredChoice], actions: Sequence[ScoredAction]) -> dict[str, Any]:
    """The report as plain data."""
    hits = sum(int(choice.scores(UNASKED_WEIGHT).argmax()) == choice.right for choice in choices)
    carrying = [action for action in actions if action.carries]
    plain = [action for action in actions if not action.carries]
    return {
        "choices": len(choices),
        "right": Share(hits, len(choices)).to_mapping(),
        "calibration_error": round(calibration_error(choices, UNASKED_WEIGHT, CHOICE_TEMPERATURE), 4),
        "mean_loss": round(mean_loss(choices, UNASKED_WEIGHT, CHOICE_TEMPERATURE), 4),
        "actions": len(actions),
        "right_call": Share(sum(action.is_right for action in carrying), len(carrying)).to_mapping(),
        "right_action": Share(sum(action.correct(ACTION_MARGIN) for action in carrying), len(carrying)).to_mapping(),
        "rightly_none": Share(sum(action.correct(ACTION_MARGIN) for action in plain), len(plain)).to_mapping(),
    }


def rewritten(source: str, settings: dict[str, float]) -> str:
    """The text of the settings module with these values."""
    for name, value in settings.items():
        source, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", source, flags=re.MULTILINE)
        assert count == 1, f"{name} is not set once"
    return source


def main() -> None:
    """Parse the command line, score, and report or fit."""
    parser = argparse.ArgumentParser(prog="python -m tools.eval.choices", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument(
        "--model", type=Path, default=POCKET_MODEL, help="folder of the bundle (default: the pocket model)"
    )
    parser.add_argument("--questions", type=int, default=500, help="choices, and as many actions (default 500)")
    parser.add_argument(
        "--fit", action="store_true", help="write runtime/choice_settings.py anew, from the training side"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    try:
        scorer = Scorer(load_bundle(arguments.model))
    except PalaverError as error:
        raise SystemExit(f"error: {error}") from None
    supply = choice_questions(held_out=not arguments.fit)
    choices = [
        scorer.choice(question.npc, question.exchange, question.options, question.right)
        for question in _first(arguments.questions, supply, "choices")
    ]
    exchanges = action_questions(held_out=not arguments.fit)
    actions = [scorer.action(npc, exchange) for npc, exchange in _first(arguments.questions, exchanges, "actions")]
    report = fitted(choices, actions) if arguments.fit else summarise(choices, actions)
    if arguments.fit:
        path = Path(choice_settings.__file__)
        path.write_text(rewritten(path.read_text(encoding="utf-8"), report), encoding="utf-8")
    print(json.dumps(report) if arguments.json else "\n".join(f"{name:18} {value}" for name, value in report.items()))


def _first(count: int, supply: Iterable[Item], what: str) -> Iterator[Item]:
    for number, item in enumerate(itertools.islice(supply, count), start=1):
        yield item
        if number % 100 == 0:
            print(f"{number} of {count} {what}", file=sys.stderr)


if __name__ == "__main__":
    main()
