"""How many tokens of a prompt belong to what."""

from dataclasses import dataclass
from typing import Self

from runtime.checks import check_int
from runtime.signature import Geometry

SMALLEST_PROMPT = 64

_SHARES = 16
_PERSONA, _SECTION, _HISTORY, _TEXT = 10, 2, 4, 2
_FAR_SIGHT = 64
_SHORTEST_DEFAULT = 256


@dataclass(frozen=True, slots=True)
class PromptBudget:
    """Most tokens of a prompt, and of its parts; what one part leaves, the world facts and the history may use.

    Attributes:
        prompt_tokens: of everything.
        persona_tokens: of what is always true of the character, 10/16.
        section_tokens: of each section of world facts that says nothing else, 2/16.
        history_tokens: of the summary and the earlier turns, 4/16.
        text_tokens: of what the player says now, 2/16.
    """

    prompt_tokens: int
    persona_tokens: int
    section_tokens: int
    history_tokens: int
    text_tokens: int

    @classmethod
    def for_model(cls, geometry: Geometry, prompt_tokens: int | None = None) -> Self:
        """The usual shares of a prompt.

        Without `prompt_tokens` a prompt is as long as a sliding layer sees from any place of a canvas, or a 64th of the
        model's positions where that is more, or 256: long prompts are slow, and short ones are read with more care.

        Raises:
            RequestError: the model does not take so many tokens, or they are less than 64.
        """
        longest = geometry.max_positions - geometry.canvas_length
        if prompt_tokens is None:
            seen = max(geometry.sliding_window - geometry.canvas_length, geometry.max_positions // _FAR_SIGHT)
            prompt_tokens = min(max(seen, _SHORTEST_DEFAULT), longest)
        else:
            check_int("prompt_tokens", prompt_tokens, min(SMALLEST_PROMPT, longest), longest)
        shares = (max(1, prompt_tokens * share // _SHARES) for share in (_PERSONA, _SECTION, _HISTORY, _TEXT))
        return cls(prompt_tokens, *shares)


class Room:
    """Tokens that are left of something, which may be within a larger room.

    Args:
        tokens: at first.
        outer: whatever is taken out of this room is taken out of that one too.
    """

    def __init__(self, tokens: int, outer: "Room | None" = None) -> None:
        self._tokens = tokens
        self._outer = outer

    @property
    def left(self) -> int:
        """Tokens that can still be taken."""
        return max(0, self._tokens if self._outer is None else min(self._tokens, self._outer.left))

    def within(self, tokens: int) -> "Room":
        """A part of this room, of so many tokens at most."""
        return Room(tokens, self)

    def take(self, tokens: int) -> bool:
        """Take tokens if so many are left; returns whether they were."""
        if tokens > self.left:
            return False
        self.spend(tokens)
        return True

    def spend(self, tokens: int) -> None:
        """Take tokens whether so many are left or not."""
        self._tokens -= tokens
        if self._outer is not None:
            self._outer.spend(tokens)
