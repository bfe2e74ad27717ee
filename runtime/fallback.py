"""Lines for when the model has none: the character's own, or neutral ones."""

from collections.abc import Hashable

from runtime.npc import Npc
from runtime.rng import Stream, raw_words

NEUTRAL_LINES = ("...", "Hm.")
"""For characters without fallback lines of their own, or with only one, which has just been said."""

MAX_SPEAKERS = 1024


class FallbackLines:
    """Chooses fallback lines, for each speaker never the line that was said last.

    What an author wrote is said as it is: no ban list, secret or filter applies to it. Remembers the last line of
    MAX_SPEAKERS speakers; who has been silent for longest is forgotten first.
    """

    def __init__(self) -> None:
        self._last: dict[Hashable, str] = {}

    def note(self, speaker: Hashable, text: str) -> None:
        """Remember what a speaker has said, wherever it came from."""
        self._last.pop(speaker, None)
        self._last[speaker] = text
        if len(self._last) > MAX_SPEAKERS:
            del self._last[next(iter(self._last))]

    def choose(self, speaker: Hashable, npc: Npc, seed: int, situation: str | None = None) -> str:
        """One of the lines for the situation, else one of the other fallback lines, else a neutral one.

        Drawn by `seed`; never the speaker's last line.

        Args:
            speaker: whose last line counts.
            npc: whose lines they are.
            seed: of the draw.
            situation: one of those that the persona has lines for; any other, and None, gives the general lines.
        """
        last = self._last.get(speaker)
        of_situation = () if situation is None else npc.situations.get(situation, ())
        for lines in (of_situation, npc.fallbacks, NEUTRAL_LINES):
            if choices := [text for text in lines if text != last]:
                break
        word = int(raw_words(seed, Stream.FALLBACK, attempt=0, canvas=0, step=0, count=1)[0])
        return choices[word % len(choices)]
