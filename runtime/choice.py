"""Which of several authored answers fits best: what is asked, and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, TypedDict

from runtime.checks import check_int, check_text, check_texts
from runtime.errors import RequestError
from runtime.line import Timings
from runtime.memory import MAX_SUMMARY_CHARS
from runtime.npc import Npc
from runtime.request import MAX_DEADLINE_MS, MAX_PRIORITY, checked_history, checked_policy, checked_world
from runtime.schedule import Policy
from runtime.world import NO_WORLD, World

OPTIONS = (2, 16)
MAX_OPTION_CHARS = 400

ChoiceSource = Literal["model", "fallback"]
ChoiceReason = Literal["stop", "deadline"]


class ChooseOptions(TypedDict, total=False):
    """What may be said beside the character, the text and the options; see `ChooseRequest` for each."""

    history: Sequence[tuple[str, str]]
    world: World | Mapping[str, Any]
    summary: str
    deadline_ms: int | None
    priority: int
    policy: Policy | str


@dataclass(frozen=True, slots=True)
class ChooseRequest:
    """One choice wanted of one character.

    Attributes:
        npc: who answers.
        text: what the player says, 1 to 4000 characters.
        options: answers that the character may give, 2 to 16 of 1 to 400 characters; kept as a tuple.
        history: earlier turns, oldest first, each (what the player said, what the character answered); kept as tuples.
        world: what is true in the game right now; kept as a World.
        summary: what was said before `history`, up to 4000 characters.
        deadline_ms: when the choice has to be there, 1 to 600000 after submission; None for no limit.
        priority: -10 to 10, higher goes first.
        policy: what becomes of this while the same character has a line or a choice open: "queue" behind it, "replace"
            it, or "reject" this one.

    Raises:
        RequestError: naming the field, its value and its limits.
    """

    npc: Npc
    text: str
    options: Sequence[str]
    history: Sequence[tuple[str, str]] = ()
    world: World | Mapping[str, Any] = NO_WORLD
    summary: str = ""
    deadline_ms: int | None = None
    priority: int = 0
    policy: Policy | str = Policy.QUEUE

    def __post_init__(self) -> None:
        if not isinstance(self.npc, Npc):
            raise RequestError(f"npc must be an Npc, not {type(self.npc).__name__}", "Build one with Npc.from_mapping")
        check_text("text", self.text)
        options = tuple(self.options) if isinstance(self.options, list) else self.options
        fewest, most = OPTIONS
        check_texts("options", options, what="answers", max_count=most, max_chars=MAX_OPTION_CHARS)
        if len(options) < fewest:
            raise RequestError(f"options has {len(options)} answers, at least {fewest} are needed", "Add some")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "history", checked_history(self.history))
        object.__setattr__(self, "world", checked_world(self.world))
        check_text("summary", self.summary, max_chars=MAX_SUMMARY_CHARS, may_be_empty=True)
        if self.deadline_ms is not None:
            check_int("deadline_ms", self.deadline_ms, 1, MAX_DEADLINE_MS)
        check_int("priority", self.priority, -MAX_PRIORITY, MAX_PRIORITY)
        object.__setattr__(self, "policy", checked_policy(self.policy))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which option fits best. Same request and same bundle, same choice, unless the deadline ended it.

    Attributes:
        index: of the best option.
        probabilities: how likely each option is the best one, in the order of the options; together 1. All the same
            for a fallback.
        source: "model", or "fallback" for the first option, when there was no time to look at all of them once.
        finish_reason: "stop", or "deadline" when time was over before everything was computed. A client that had to
            choose by itself gives the code of the error that it got, "timeout" or "unreachable".
        timings: where the time went; `denoise_ms` is the compute of scoring passes.
    """

    index: int
    probabilities: tuple[float, ...]
    source: ChoiceSource
    finish_reason: ChoiceReason | str
    timings: Timings

    @classmethod
    def first(cls, count: int, finish_reason: str, waited_ms: float) -> Self:
        """The first of so many options, for which nothing was computed, `waited_ms` after it was asked for."""
        return cls(0, (1.0 / count,) * count, "fallback", finish_reason, Timings(waited_ms, 0.0, 0.0, 0.0, waited_ms))

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for JSON or msgpack."""
        return {**asdict(self), "probabilities": list(self.probabilities)}
