"""What a model makes of the corpus's own answers, as options of a choice, and of its actions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from runtime.acting import Acting
from runtime.actions import concrete_calls, parse_actions
from runtime.batch import begin
from runtime.bundle import Bundle
from runtime.choice import ChooseRequest
from runtime.choice_job import ChoiceJob
from runtime.npc import Npc
from runtime.prefill import Prefill
from runtime.prefix_cache import PrefixCache
from runtime.prompt import PromptBuilder, Turn
from runtime.session import Prefix, StepSession
from runtime.stage import Stage
from tools.train.corpus import Exchange, scenes

OPTIONS = 4
HELD_OUT_SEED = 20_000_029
TRAINING_SEED = 20_000_033

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoredChoice:
    """A question's options, the right one among them, with their scores behind the question and without it."""

    right: int
    asked: Scores
    unasked: Scores

    def scores(self, weight: float) -> Scores:
        """What is left of the scores when this share of those without the question is taken off."""
        return self.asked - weight * self.unasked


@dataclass(frozen=True, slots=True)
class ScoredAction:
    """A line that carries something out, or nothing: the best call's margin, and whether that call is the right one."""

    carries: bool
    is_right: bool
    margin: float

    def correct(self, least: float) -> bool:
        """With this margin asked for, the right call is made, or rightly none."""
        return self.is_right if self.margin > least else not self.carries


class Scorer:
    """Scores options and calls as the engine does, and shows the scores.

    Args:
        bundle: of the model.
    """

    def __init__(self, bundle: Bundle) -> None:
        self._session = StepSession(bundle)
        self._stage = Stage.of(bundle)
        self._prompts = PromptBuilder.of(bundle)
        self._prefixes = PrefixCache()

    def choice(self, npc: Npc, exchange: Exchange, options: Sequence[str], right: int) -> ScoredChoice:
        """Scores of authored answers."""
        request = ChooseRequest(npc, exchange.player, tuple(options), exchange.history)
        job = ChoiceJob.of(0, request, lambda text: self._prefill(npc, text, exchange.history), self._stage)
        while not job.finished:
            job.take(begin(self._session, [job.work()]).run())
        return ScoredChoice(right, *job.scores())

    def action(self, npc: Npc, exchange: Exchange) -> ScoredAction:
        """Scores of the calls that the corpus's own line may carry."""
        prefill = self._prefill(npc, exchange.player, exchange.history)
        while not prefill.done:
            prefill.take(cast(Prefix, begin(self._session, [prefill.work()]).run()))
        calls = concrete_calls(parse_actions(npc.actions))
        acting = Acting(spoken(exchange), calls, prefill.prefix, self._stage)
        while not acting.finished:
            acting.take(begin(self._session, [acting.work()]).run())
        best, margin = acting.best()
        return ScoredAction(bool(exchange.action), best.text == exchange.action, margin)

    def _prefill(self, npc: Npc, text: str, history: Sequence[Turn]) -> Prefill:
        prompt = self._prompts.build(npc, text, history)
        return Prefill(prompt.ids, prompt.stable_length, self._prefixes)


def spoken(exchange: Exchange) -> str:
    """The answer without the action that stands behind it."""
    return exchange.answer.removesuffix(f" [{exchange.action}]")


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question and four answers of the same character, of which one is to this question."""

    npc: Npc
    exchange: Exchange
    options: tuple[str, ...]
    right: int


def choice_questions(*, held_out: bool) -> Iterator[ChoiceQuestion]:
    """An endless stream, one question from each scene that has four different answers to different questions."""
    seed = HELD_OUT_SEED if held_out else TRAINING_SEED
    dice = random.Random(seed)
    for scene in scenes(seed, exchanges=6, held_out=held_out):
        exchange, *others = scene.exchanges
        wrong = {spoken(other): None for other in others if other.intent != exchange.intent}
        wrong.pop(spoken(exchange), None)
        if len(wrong) >= OPTIONS - 1:
            options = [spoken(exchange), *list(wrong)[: OPTIONS - 1]]
            dice.shuffle(options)
            yield ChoiceQuestion(scene.npc, exchange, tuple(options), options.index(spoken(exchange)))


def action_questions(*, held_out: bool) -> Iterator[tuple[Npc, Exchange]]:
    """An endless stream of exchanges of characters with actions, half of them carrying one out."""
    seed = (HELD_OUT_SEED if held_out else TRAINING_SEED) + 1
    carries_next = True
    for scene in scenes(seed, exchanges=6, held_out=held_out):
        for exchange in scene.exchanges if scene.npc.actions else ():
            if bool(exchange.action) == carries_next:
                carries_next = not carries_next
                yield scene.npc, exchange
                break
