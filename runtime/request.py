"""What can be asked for: checked when it is built, so that nothing behind has to check again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

from runtime.checks import MAX_TEXT_CHARS, check_bool, check_int, check_text, check_texts
from runtime.errors import RequestError
from runtime.hygiene.escapes import ESCAPE_KINDS, EscapeKind
from runtime.memory import MAX_SUMMARY_CHARS
from runtime.npc import MAX_FIELD_CHARS, Npc
from runtime.rng import SEED_LIMIT
from runtime.samplers import SAMPLERS
from runtime.schedule import Policy
from runtime.template import templates_of
from runtime.world import NO_WORLD, World

MAX_STEPS = 1000
MAX_TOKENS = 4096
MAX_TURNS = 64
MAX_DEADLINE_MS = 600_000
MAX_PRIORITY = 10
MAX_STOP_AFTER_STEPS = 1_000_000
MAX_TEMPLATE_CHARS = 1000
MAX_PHRASES = 8


class AskOptions(TypedDict, total=False):
    """What may be said with an ask beside the character and the text; see `AskRequest` for each."""

    seed: int | None
    steps: int | None
    max_tokens: int | None
    history: Sequence[tuple[str, str]]
    deadline_ms: int | None
    priority: int
    policy: Policy | str
    stop_after_steps: int | None
    sampler: str | None
    deterministic: bool
    template: str | None
    must_include: Sequence[str]
    situation: str | None
    escape: EscapeKind
    world: World | Mapping[str, Any]
    summary: str


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One line wanted from one character.

    Attributes:
        npc: who answers.
        text: what the player says, 1 to 4000 characters.
        seed: 0 to 2**63 - 1; None for a random one, which the line then reports.
        steps: most denoising steps a canvas, 1 to 1000; None for the model's own number. A deadline may plan fewer.
        max_tokens: most tokens of the line, 1 to 4096, end token not counted; None for the model's own number.
        history: earlier turns, oldest first, each (what the player said, what the character answered);
            kept as tuples.
        deadline_ms: when the line has to be there, 1 to 600000 after submission; None for no limit.
        priority: -10 to 10, higher goes first.
        policy: what becomes of this ask while the same character has an open one: "queue" behind it, "replace" it, or
            "reject" this one.
        draft_every_ms: least time between two drafts, 0 to 600000, 0 for one after each step; None for no drafts.
        stop_after_steps: end the line after so many denoising steps in all, 1 to 1000000, as a deadline would: for a
            draft that was cut there, once more.
        sampler: how noise becomes text, "reference" or "fast"; None for the default.
        deterministic: the line's text may not depend on what runs beside it; False lets it share more compute.
        template: what the line consists of, with gaps for the model to fill: "Bring me {*}, {*2-6} or {*=nothing}.";
            1 to 1000 characters; None for a line that is all the model's.
        must_include: up to 8 phrases of 200 characters that the line holds letter for letter; kept as a tuple.
        situation: which of the character's `situations` a fallback line is to come from, up to 200 characters.
        escape: how the line's text is written so that nothing in it is taken for markup.
        world: what is true in the game right now; kept as a World.
        summary: what was said before `history`, up to 4000 characters.

    Raises:
        RequestError: naming the field, its value and its limits.
    """

    npc: Npc
    text: str
    seed: int | None = None
    steps: int | None = None
    max_tokens: int | None = None
    history: Sequence[tuple[str, str]] = ()
    deadline_ms: int | None = None
    priority: int = 0
    policy: Policy | str = Policy.QUEUE
    draft_every_ms: int | None = None
    stop_after_steps: int | None = None
    sampler: str | None = None
    deterministic: bool = True
    template: str | None = None
    must_include: Sequence[str] = ()
    situation: str | None = None
    escape: EscapeKind = "plain"
    world: World | Mapping[str, Any] = NO_WORLD
    summary: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.npc, Npc):
            raise RequestError(f"npc must be an Npc, not {type(self.npc).__name__}", "Build one with Npc.from_mapping")
        check_text("text", self.text)
        for name, low, high in _OPTIONAL_INTS:
            if (value := getattr(self, name)) is not None:
                check_int(name, value, low, high)
        check_int("priority", self.priority, -MAX_PRIORITY, MAX_PRIORITY)
        object.__setattr__(self, "policy", checked_policy(self.policy))
        _check_sampler(self.sampler)
        check_bool("deterministic", self.deterministic)
        object.__setattr__(self, "history", checked_history(self.history))
        for name, max_chars in (("template", MAX_TEMPLATE_CHARS), ("situation", MAX_FIELD_CHARS)):
            if (text := getattr(self, name)) is not None:
                check_text(name, text, max_chars=max_chars)
        object.__setattr__(self, "must_include", _checked_phrases(self.must_include))
        templates_of(self.template, self.must_include)
        if not isinstance(self.escape, str) or self.escape not in ESCAPE_KINDS:
            raise RequestError(f"escape is {str(self.escape)[:40]!r}", f"Allowed: {', '.join(ESCAPE_KINDS)}")
        object.__setattr__(self, "world", checked_world(self.world))
        check_text("summary", self.summary, max_chars=MAX_SUMMARY_CHARS, may_be_empty=True)


_OPTIONAL_INTS = (
    ("seed", 0, SEED_LIMIT - 1),
    ("steps", 1, MAX_STEPS),
    ("max_tokens", 1, MAX_TOKENS),
    ("deadline_ms", 1, MAX_DEADLINE_MS),
    ("draft_every_ms", 0, MAX_DEADLINE_MS),
    ("stop_after_steps", 1, MAX_STOP_AFTER_STEPS),
)


def checked_policy(policy: object) -> Policy:
    """Whichever way it was written."""
    if not isinstance(policy, str) or policy not in list(Policy):
        raise RequestError(f"policy is {str(policy)[:40]!r}", f"Allowed: {', '.join(Policy)}")
    return Policy(policy)


def _check_sampler(sampler: object) -> None:
    if sampler is not None and (not isinstance(sampler, str) or sampler not in SAMPLERS):
        raise RequestError(f"sampler is {str(sampler)[:40]!r}", f"Allowed: {', '.join(SAMPLERS)}")


def checked_history(history: object) -> tuple[tuple[str, str], ...]:
    """History as tuples, whichever sequences it came in."""
    if not isinstance(history, (tuple, list)):
        raise RequestError(
            f"history must be a list of turns, not {type(history).__name__}", 'Give [["player", "npc"], ...]'
        )
    if len(history) > MAX_TURNS:
        raise RequestError(f"history has {len(history)} turns, at most {MAX_TURNS} are allowed", "Leave out the oldest")
    turns = []
    for index, turn in enumerate(history):
        if not isinstance(turn, (tuple, list)) or len(turn) != 2:
            raise RequestError(
                f"history[{index}] is not a pair", "Give each turn as what the player said and what the NPC answered"
            )
        player_text, npc_text = turn
        check_text(f"history[{index}][0]", player_text, max_chars=MAX_TEXT_CHARS)
        check_text(f"history[{index}][1]", npc_text, max_chars=MAX_TEXT_CHARS, may_be_empty=True)
        turns.append((player_text, npc_text))
    return tuple(turns)


def checked_world(world: object) -> World:
    """World facts, also from the plain data that `World.from_mapping` reads."""
    return world if isinstance(world, World) else World.from_mapping(cast(Any, world))


def _checked_phrases(phrases: object) -> tuple[str, ...]:
    kept = tuple(phrases) if isinstance(phrases, list) else phrases
    check_texts("must_include", kept, what="phrases", max_count=MAX_PHRASES, max_chars=MAX_FIELD_CHARS)
    return cast(tuple[str, ...], kept)
