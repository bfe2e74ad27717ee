"""One choice in the making: its prompts, its scores, and the pass of the graph that comes next."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, cast

from runtime.batch import PassResult, ScoreWork, Work
from runtime.choice import Choice, ChooseRequest
from runtime.choice_scoring import OptionCanvases, Scores, Scoring
from runtime.choice_settings import CHOICE_TEMPERATURE, PATTERNS, UNASKED_TEXT, UNASKED_WEIGHT
from runtime.denoise import Floats
from runtime.line import Timings
from runtime.prefill import Prefill
from runtime.session import Prefix
from runtime.stage import Stage
from runtime.step_cost import PassKind, Shape


@dataclass(slots=True, eq=False)
class Side:
    """The options behind one prompt."""

    prefill: Prefill
    scoring: Scoring

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        return self.scoring.next_pass(self.prefill.length) if self.prefill.done else self.prefill.next_pass()

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing."""
        return ScoreWork(self.scoring.inputs(), self.prefill.prefix) if self.prefill.done else self.prefill.work()

    def passes_left(self) -> int:
        """Passes until all is scored."""
        return self.prefill.passes_left() + self.scoring.passes_left


class ChoiceJob:
    """The state of one choice, which knows of no clock.

    The options are scored behind the prompt as it is and behind one without the player's question, in turns, so that
    after each turn there is something to choose by.

    Args:
        job_id: of the engine.
        asked: the options behind the prompt.
        unasked: the same options behind the prompt without the question.
        options: how many there are.
    """

    def __init__(self, job_id: int, asked: Side, unasked: Side, options: int) -> None:
        self.id = job_id
        self.seconds = dict.fromkeys(PassKind, 0.0)
        self.mixed = False
        self._asked = asked
        self._unasked = unasked
        self._options = options
        self._ended = False

    @classmethod
    def of(cls, job_id: int, request: ChooseRequest, prefill_of: Callable[[str], Prefill], stage: Stage) -> Self:
        """The job of a request; `prefill_of` encodes its prompt with the player saying something."""
        canvases = OptionCanvases.of([stage.ids(option) for option in request.options], stage.eos, stage.canvas_length)
        asked, unasked = (
            Side(prefill_of(text), Scoring(canvases, PATTERNS, stage.vocab_size))
            for text in (request.text, UNASKED_TEXT)
        )
        return cls(job_id, asked, unasked, len(request.options))

    @property
    def finished(self) -> bool:
        """Nothing is left to compute, or time was over."""
        return self._ended or self._unasked.scoring.finished

    @property
    def steps_done(self) -> int:
        """Turns in which all options were scored."""
        return self._unasked.scoring.rounds_done

    @property
    def passes_to_plan(self) -> int:
        """None: a deadline ends the scoring, but does not change it."""
        return 0

    def plan_steps(self, passes: int) -> None:
        """Nothing to plan."""

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        return self._side.next_pass()

    def passes_left(self) -> int:
        """Passes until it has finished."""
        return self._asked.passes_left() + self._unasked.passes_left()

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing."""
        return self._side.work()

    def take(self, result: PassResult) -> None:
        """Go on with what `work()` gave."""
        side = self._side
        if isinstance(result, Prefix):
            side.prefill.take(result, exact=not self.mixed)
        else:
            side.scoring.take(cast(Floats, result))

    def end_early(self) -> None:
        """Choose by what there is."""
        self._ended = True

    def scores(self) -> tuple[Scores, Scores]:
        """Scores of the options behind the question and without it, over all turns so far; zeros before the first."""
        rounds = self.steps_done
        return self._asked.scoring.scores(rounds), self._unasked.scoring.scores(rounds)

    def choice(self, *, queue_s: float, total_s: float) -> Choice:
        """The choice of a job that has finished."""
        asked, unasked = self.scores()
        scores = asked - UNASKED_WEIGHT * unasked
        encode_s, score_s = self.seconds[PassKind.ENCODE], self.seconds[PassKind.SCORE]
        spent_s = (queue_s, encode_s, score_s, encode_s + score_s, total_s)
        return Choice(
            index=int(scores.argmax()),
            probabilities=probabilities(scores),
            source="model" if self.steps_done else "fallback",
            finish_reason="stop" if self._unasked.scoring.finished else "deadline",
            timings=Timings(*(round(seconds * 1000.0, 3) for seconds in spent_s)),
        )

    @property
    def _side(self) -> Side:
        """Where the next pass belongs: the question goes first in each turn."""
        turn_begins = self._asked.scoring.rounds_done == self._unasked.scoring.rounds_done
        return self._asked if turn_begins else self._unasked


def probabilities(scores: Scores) -> tuple[float, ...]:
    """How likely each option is the best one, by scores in nats, float64 [options]."""
    # Python's own exponential: numpy's may differ by the processor in the last bit.
    weights = [math.exp((score - scores.max()) / CHOICE_TEMPERATURE) for score in scores.tolist()]
    return tuple(weight / math.fsum(weights) for weight in weights)
