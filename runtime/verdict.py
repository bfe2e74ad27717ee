"""Whether a cleaned line may be said: the one place where it is refused."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from runtime.filters import StudioFilters
from runtime.hygiene.words import words_of
from runtime.npc import Npc
from runtime.repetition import repeats_recent
from runtime.secret_rule import SecretRule

Reason = Literal["", "empty", "banned", "secret", "repeat", "filtered"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a line.

    Attributes:
        reason: why it may not be said; empty if it may.
        text: what may be said: the line, or what a filter made of it; empty if nothing may.
    """

    reason: Reason
    text: str = ""


@dataclass(frozen=True, slots=True)
class LineContext:
    """What a line is judged by; made once for a line and its tries.

    Attributes:
        npc: who says it.
        banned: the words of each banned phrase.
        secret_rule: finds the persona's secrets.
        recent: the character's last lines, oldest first.
        filters: the studio's.
    """

    npc: Npc
    banned: tuple[str, ...]
    secret_rule: SecretRule
    recent: tuple[str, ...]
    filters: StudioFilters

    @classmethod
    def of(
        cls, npc: Npc, told: Iterable[str], recent: Sequence[str] = (), filters: StudioFilters | None = None
    ) -> Self:
        """The context of a line.

        Args:
            npc: who says it.
            told: everything in the prompt beside the persona: the player's words, earlier turns, summary, facts of the
                world. A secret that stands there too is none any more.
            recent: the character's last lines, oldest first.
            filters: the studio's; None for none.
        """
        persona = (npc.name, npc.role, npc.place, npc.mood, npc.manner, *npc.knowledge, *npc.names, *npc.actions)
        return cls(
            npc=npc,
            banned=tuple(map(_spaced, npc.banned)),
            secret_rule=SecretRule.of(npc.secrets, (*persona, *told)),
            recent=tuple(recent),
            filters=StudioFilters() if filters is None else filters,
        )


def judge(text: str, context: LineContext) -> Verdict:
    """The verdict on a finished line; what a filter makes of it is judged once more, but not filtered again."""
    if not _says_something(text):
        return Verdict("empty")
    if reason := refusal(text, context):
        return Verdict(reason)
    if repeats_recent(text, context.recent):
        return Verdict("repeat")
    filtered = _filtered(text, context)
    return Verdict("filtered") if filtered is None or not _says_something(filtered) else Verdict("", filtered)


def judge_draft(text: str, context: LineContext) -> str:
    """What may be shown of a line in the making; a repetition may, for the next word can end it."""
    if refusal(text, context):
        return ""
    return _filtered(text, context) or ""


def _filtered(text: str, context: LineContext) -> str | None:
    """What the filters make of a text that may be said; None if they refuse it, or make one that may not."""
    filtered = context.filters.apply(text, context.npc)
    return None if filtered is None or (filtered != text and refusal(filtered, context)) else filtered


def judge_directions(directions: Iterable[str], text: str, context: LineContext) -> tuple[str, ...]:
    """Those of a line's stage directions that may be shown beside its text, as the filters leave them.

    Each is judged as text is, and once more together with the line and the directions before it: what is told by half
    in the one and by half in the other is told.
    """
    kept: list[str] = []
    for direction in directions:
        shown = judge_draft(direction, context)
        if shown and not refusal(" ".join([text, *kept, shown]), context):
            kept.append(shown)
    return tuple(kept)


def refusal(text: str, context: LineContext) -> Literal["", "banned", "secret"]:
    """Why a text may not be said, repetition and filters aside; empty if it may."""
    pieces = [_spaced(piece) for piece in context.filters.without_allowed(text)]
    if any(phrase in piece for phrase in context.banned for piece in pieces):
        return "banned"
    return "secret" if context.secret_rule.is_told_in(text) else ""


def _spaced(text: str) -> str:
    """The words with a space around each, so that one is found in another as whole words only."""
    return f" {' '.join(words_of(text))} "


def _says_something(text: str) -> bool:
    """It has a letter, a digit, or a picture."""
    return any(char.isalnum() or unicodedata.category(char) == "So" for char in text)
