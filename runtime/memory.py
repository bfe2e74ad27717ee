"""What a character remembers: its last turns word by word, and what came before them in a few sentences."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from runtime.checks import MAX_TEXT_CHARS, check_int, check_text

Turn = tuple[str, str]
"""What the player said, and what the character answered."""

MAX_TURNS = 16
"""Turns that are remembered of a character; of more, the last ones."""

KEPT_TURNS = 4
"""Turns that stay word by word when the ones before them are told as a summary."""

MAX_SUMMARY_CHARS = 4000

Summariser = Callable[[str, Sequence[Turn]], str]
"""From the summary so far ("" for none) and the turns that fall out, oldest first, to the summary of both."""

_log = logging.getLogger("palaver")


@dataclass(frozen=True, slots=True)
class Memory:
    """Of one character.

    Attributes:
        turns: oldest first, at most MAX_TURNS.
        summary: of what was said before them; empty for nothing.
    """

    turns: tuple[Turn, ...] = ()
    summary: str = ""

    @property
    def size(self) -> int:
        """Characters of text in it."""
        return len(self.summary) + sum(len(player_text) + len(line) for player_text, line in self.turns)

    def with_turn(self, turn: Turn) -> Self:
        """This and one turn more; the oldest makes room."""
        player_text, line = turn
        return type(self)((*self.turns, (player_text, line[:MAX_TEXT_CHARS]))[-MAX_TURNS:], self.summary)

    def summarised(self, summary: str, keep: int) -> Self:
        """The last `keep` turns, behind this summary in place of everything before them."""
        return type(self)(self.turns[-keep:] if keep else (), summary)


def check_summary(text: str, keep: int) -> None:
    """Raise RequestError unless a summary may have this text, and leave so many turns word by word."""
    check_text("text", text, max_chars=MAX_SUMMARY_CHARS, may_be_empty=True)
    check_int("keep", keep, 0, MAX_TURNS)


def condensed(memory: Memory, told: int, summariser: Summariser) -> Memory:
    """The memory, when a prompt tells only its last `told` turns: the summariser tells the others.

    All but KEPT_TURNS go at once, so that it is not called for every turn. Where it fails the memory stays as it is.
    """
    if told >= len(memory.turns) and len(memory.turns) < MAX_TURNS:
        return memory
    keep = min(KEPT_TURNS, told)
    fallen = memory.turns[: len(memory.turns) - keep]
    try:
        summary = check_text("summary", summariser(memory.summary, fallen), max_chars=MAX_SUMMARY_CHARS)
    # It is the studio's own code, and no line may fail for it.
    except Exception:
        _log.exception("the summariser failed")
        return memory
    return memory.summarised(summary, keep)
