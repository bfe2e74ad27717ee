"""From token ids to a clean line of text."""

import unicodedata
from collections.abc import Sequence

from tokenizers import Tokenizer

from runtime.manifest import TokenFacts
from runtime.markers import remove_markers

_REPLACEMENT = "\ufffd"
_LONGEST_UTF8 = 4


class LineReader:
    """Turns the ids of a line into what the character says.

    Args:
        tokenizer: the bundle's tokenizer.
        tokens: the bundle's special tokens.
    """

    def __init__(self, tokenizer: Tokenizer, tokens: TokenFacts) -> None:
        self._tokenizer = tokenizer
        self._special_tokens = tokens.special
        ids = {token: tokenizer.token_to_id(token) for token in tokens.special}
        self._special_ids = {token_id for token_id in ids.values() if token_id is not None}
        self._channel_open = tokenizer.token_to_id(tokens.channel_open) if tokens.channel_open else None
        self._channel_close = tokenizer.token_to_id(tokens.channel_close) if tokens.channel_close else None

    def read(self, ids: Sequence[int]) -> str:
        """The spoken line: one line of text, possibly empty.

        Thinking blocks and special tokens are taken out as ids, before decoding, because their spelling may be cut
        anywhere. A thinking block that never closes hides everything behind it, unless nothing else was said: then it
        is read as the line, for silence would be worse. A character whose bytes are not all there is left out; white
        space runs become single spaces; control characters go.
        """
        spoken = self._read_plain(self._without_thinking(ids))
        return spoken or self._read_plain(list(ids)[self._unclosed_from(ids) :])

    def _read_plain(self, ids: Sequence[int]) -> str:
        text = self._decode([token_id for token_id in ids if token_id not in self._special_ids])
        text = remove_markers(text.replace(_REPLACEMENT, ""), self._special_tokens)
        printable = (char for char in text if char.isspace() or unicodedata.category(char) != "Cc")
        return " ".join("".join(printable).split())

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

    def _unclosed_from(self, ids: Sequence[int]) -> int:
        """Index of the thinking block that never closes, or the end of `ids` where every block closes."""
        start = len(ids)
        for index, token_id in enumerate(ids):
            if token_id == self._channel_open and start == len(ids):
                start = index
            elif token_id == self._channel_close:
                start = len(ids)
        return start
