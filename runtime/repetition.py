"""Whether a character says what it has only just said."""

from collections.abc import Sequence

from runtime.hygiene.words import words_of

RECENT_LINES = 6
"""Lines of the character that a new one is compared with."""

FEWEST_WORDS = 3
"""Shorter lines ("Aye.", "No, thanks.") may come again."""

MAX_OVERLAP = 0.75
"""Share of a line's runs of NGRAM words that may stand in one recent line (measured, see docs/text.md)."""

NGRAM = 3


def repeats_recent(text: str, recent: Sequence[str]) -> bool:
    """The text is one of the last RECENT_LINES lines again, whatever is done with case and marks, or most of one."""
    words = words_of(text)
    if len(words) < FEWEST_WORDS:
        return False
    return any(overlap(words, words_of(line)) > MAX_OVERLAP for line in recent[-RECENT_LINES:])


def overlap(words: Sequence[str], earlier: Sequence[str]) -> float:
    """Share of the runs of NGRAM words in `words` that `earlier` has too; 1.0 for equal words."""
    if list(words) == list(earlier):
        return 1.0
    runs = _runs(words)
    return len(runs & _runs(earlier)) / len(runs) if runs else 0.0


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(NGRAM)), strict=False))
