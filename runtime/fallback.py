"""Lines for when the model has none: the character's own, or neutral ones."""

from collections.abc import Hashable, Sequence

from runtime.rng import Stream, raw_words

NEUTRAL_LINES = ("...", "Hm.")
"""For characters without fallback lines of their own, or with only one, which has just been said."""

MAX_SPEAKERS = 1024


class FallbackLines:
    """Chooses fallback lines, for each speaker never the line that was said last.

    Remembers the last line of MAX_SPEAKERS speakers; who has been silent for longest is forgotten first.
    """

    def __init__(self) -> None:
        self._last: dict[Hashable, str] = {}

    def note(self, speaker: Hashable, text: str) -> None:
        """Remember what a speaker has said, wherever it came from."""
        self._last.pop(speaker, None)
        self._last[speaker] = text
        if len(self._last) > MAX_SPEAKERS:
            del self._last[next(iter(self._last))]

    def choose(self, speaker: Hashable, authored: Sequence[str], seed: int) -> str:
        """One of the authored lines, drawn by `seed`; a neutral one where that would be the last line again."""
        last = self._last.get(speaker)
        choices = [text for text in authored if text != last] or [text for text in NEUTRAL_LINES if text != last]
        word = int(raw_words(seed, Stream.FALLBACK, attempt=0, canvas=0, step=0, count=1)[0])
        return choices[word % len(choices)]
