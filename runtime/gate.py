"""Whether a line that the deadline cut short is good enough to be said."""

import itertools
import re
from collections.abc import Sequence

MAX_MEAN_ENTROPY = 0.5
"""Nats, mean of a draft's tokens; of the drafts above it, hardly one in four says what it should (docs/samplers.md)."""

_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)\u300d]*(?=\s|$)")
_WORD = re.compile(r"\w+")
_NGRAM = 3


def passing_draft(text: str, mean_entropy: float, banned: Sequence[str] = ()) -> str:
    """The part of `text` that may be said, its whole sentences; empty if nothing may.

    Refused are a mean entropy (nats, of the tokens) above MAX_MEAN_ENTROPY, text without one whole sentence, words that
    repeat themselves, and banned words.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if not ends or mean_entropy > MAX_MEAN_ENTROPY:
        return ""
    sentences = text[: ends[-1]]
    if not _WORD.search(sentences) or repeats_itself(sentences) or has_banned(sentences, banned):
        return ""
    return sentences


def repeats_itself(text: str) -> bool:
    """Three words come again, or one word three times or two words twice in a row; case does not matter."""
    words = [word.casefold() for word in _WORD.findall(text)]
    ngrams = list(zip(*(words[start:] for start in range(_NGRAM)), strict=False))
    if len(set(ngrams)) < len(ngrams) or any(len(set(ngram)) == 1 for ngram in ngrams):
        return True
    pairs = list(itertools.pairwise(words))
    return any(first == second for first, second in zip(pairs, pairs[2:], strict=False))


def has_banned(text: str, banned: Sequence[str]) -> bool:
    """A banned word or phrase stands in the text as whole words, in whatever case and spacing."""
    said = f" {' '.join(_WORD.findall(text.casefold()))} "
    return any(f" {' '.join(_WORD.findall(phrase.casefold()))} " in said for phrase in banned)
