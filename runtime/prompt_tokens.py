"""Texts as a model reads them: as data, and in tokens."""

from collections.abc import Iterable
from functools import lru_cache

from tokenizers import Tokenizer

from runtime.hygiene.player_text import plain_words

_KEPT_COUNTS = 4096


class PromptTokens:
    """Cleans and measures what goes into prompts.

    Args:
        tokenizer: the bundle's tokenizer.
        special_tokens: every control token's spelling; all of them are removed from whatever a game or a player says.
    """

    def __init__(self, tokenizer: Tokenizer, special_tokens: Iterable[str]) -> None:
        self._tokenizer = tokenizer
        self._special_tokens = tuple(special_tokens)
        # Facts and turns come again with every ask.
        self.line = lru_cache(_KEPT_COUNTS)(self._line)
        self.count = lru_cache(_KEPT_COUNTS)(self._count)

    def ids(self, text: str) -> list[int]:
        """Token ids of a text, without any that it does not spell."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def start(self, line: str, count: int) -> str:
        """The first words of a line that have at most `count` tokens; letters, where the first word has more."""
        encoding = self._tokenizer.encode(line, add_special_tokens=False)
        if len(encoding.ids) <= count or count <= 0:
            return line if count > 0 else ""
        end = encoding.offsets[count - 1][1]
        kept = line[:end]
        if not line[end : end + 1].isspace() and " " in kept.strip():
            kept = kept[: kept.rindex(" ")]
        return self._shrunk(kept.strip(), count, 0, -1)

    def end(self, line: str, count: int) -> str:
        """The last words of a line that have at most `count` tokens; letters, where the last word has more."""
        encoding = self._tokenizer.encode(line, add_special_tokens=False)
        if len(encoding.ids) <= count or count <= 0:
            return line if count > 0 else ""
        start = encoding.offsets[-count][0]
        kept = line[start:]
        if start and not (line[start - 1].isspace() or kept[0].isspace()) and " " in kept.strip():
            kept = kept[kept.index(" ") :]
        return self._shrunk(kept.strip(), count, 1, None)

    def _shrunk(self, text: str, count: int, first: int, last: int | None) -> str:
        """The text without so many letters at one end that `count` tokens do; a letter may have several."""
        while text and len(self.ids(text)) > count:
            text = text[first:last]
        return text

    def _line(self, text: str) -> str:
        """The text on one line, without control tokens; empty if nothing is left of it."""
        return plain_words(text, self._special_tokens)

    def _count(self, line: str) -> int:
        """Tokens of a line, its end included."""
        return len(self.ids(line)) + 1
