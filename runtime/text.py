"""From token ids to a line of text that is fit to be said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tokenizers import Tokenizer

from runtime.hygiene.directions import apart_from_directions, without_calls
from runtime.hygiene.invisible import without_invisible
from runtime.hygiene.leaked_markers import without_markers
from runtime.hygiene.length import shortened
from runtime.hygiene.player_text import plain_words
from runtime.hygiene.quotes import one_kind_of_quotes, without_outer_quotes
from runtime.hygiene.speaker import of_one_speaker
from runtime.hygiene.white_space import on_one_line
from runtime.manifest import TokenFacts
from runtime.npc import Npc

_REPLACEMENT = "\ufffd"
_LONGEST_UTF8 = 4


@dataclass(frozen=True, slots=True)
class TextRules:
    """What a character's line has to keep to.

    Attributes:
        speaker: the character's name.
        special_tokens: the model's control tokens, as they are spelled.
        names: other names that may stand as the label of somebody who speaks.
        max_sentences: most sentences of a line; None for no limit.
        max_chars: most characters of a line, at least 2; None for no limit.
    """

    speaker: str
    special_tokens: tuple[str, ...]
    names: tuple[str, ...] = ()
    max_sentences: int | None = None
    max_chars: int | None = None

    @classmethod
    def of(cls, npc: Npc, special_tokens: tuple[str, ...]) -> Self:
        """The rules of a persona, for a model with these control tokens."""
        return cls(npc.name, special_tokens, npc.names, npc.max_sentences, npc.max_chars)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Text on one line, possibly empty, and the stage directions that were in it."""

    text: str
    directions: tuple[str, ...] = ()


def clean(raw: str, rules: TextRules) -> Cleaned:
    """The chain of hygiene: what of a model's raw text may be said. A line without a fault comes through as it is.

    Control tokens and invisible characters go, then labels of speakers and whatever others say, calls of actions, and
    stage directions, which are kept apart. What is left is one line with one kind of quotation marks, and ends with a
    sentence inside the limits.
    """
    text = without_markers(without_invisible(raw), rules.special_tokens)
    text = of_one_speaker(text.strip(), rules.speaker, rules.names)
    text, directions = apart_from_directions(without_calls(text))
    # What was taken out may have stood inside a control token.
    text = without_markers(text, rules.special_tokens)
    text = without_outer_quotes(one_kind_of_quotes(on_one_line(text)))
    plain = (plain_words(direction, rules.special_tokens) for direction in directions)
    return Cleaned(shortened(text, rules.max_sentences, rules.max_chars), tuple(filter(None, plain)))


class LineReader:
    """Turns the ids of a line into the text that they spell.

    Args:
        tokenizer: the bundle's tokenizer.
        tokens: the bundle's special tokens.
    """

    def __init__(self, tokenizer: Tokenizer, tokens: TokenFacts) -> None:
        self._tokenizer = tokenizer
        ids = {token: tokenizer.token_to_id(token) for token in tokens.special}
        self._special_ids = {token_id for token_id in ids.values() if token_id is not None}
        self._channel_open = tokenizer.token_to_id(tokens.channel_open) if tokens.channel_open else None
        self._channel_close = tokenizer.token_to_id(tokens.channel_close) if tokens.channel_close else None

    def read(self, ids: Sequence[int]) -> str:
        """Raw text, possibly empty, line breaks and all; `clean` makes a line of it.

        Thinking blocks and special tokens are taken out as ids, before decoding, because their spelling may be cut
        anywhere. A thinking block that never closes hides everything behind it, and where nothing else was said the
        line is empty: an authored one is better than thoughts. A character whose bytes are not all there is left out.
        """
        spoken = [token_id for token_id in self._without_thinking(ids) if token_id not in self._special_ids]
        return self._decode(spoken).replace(_REPLACEMENT, "")

    def _decode(self, ids: list[int]) -> str:
        text = self._tokenizer.decode(ids, skip_special_tokens=False)
        if not text.endswith(_REPLACEMENT):
            return text
        # Byte-fallback decoders give up on a whole run of bytes when its last character is cut: find the longest
        # text among those without the last few tokens.
        shorter = (
            self._tokenizer.decode(ids[: len(ids) - cut], skip_special_tokens=False) for cut in range(1, _LONGEST_UTF8)
        )
        return max((candidate.rstrip(_REPLACEMENT) for candidate in (text, *shorter)), key=len)

    def _without_thinking(self, ids: Sequence[int]) -> list[int]:
        spoken: list[int] = []
        thinking = False
        for token_id in ids:
            if token_id == self._channel_open:
                thinking = True
            elif token_id == self._channel_close:
                thinking = False
            elif not thinking:
                spoken.append(token_id)
        return spoken
