"""Whether a line that the deadline cut short is good enough to be said."""

import itertools

from runtime.hygiene.sentences import whole_sentences
from runtime.hygiene.words import words_of

MAX_MEAN_ENTROPY = 0.5
"""Nats, mean of a draft's tokens; of the drafts above it, hardly one in four says what it should (docs/samplers.md)."""

_NGRAM = 3
# In Chinese a run of three is an ordinary word; five characters that come again are not.
_CHARACTERS_A_WORD = 3


def passing_draft(text: str, mean_entropy: float) -> str:
    """The part of `text` that is good enough, its whole sentences; empty if nothing is.

    Refused are a mean entropy (nats, of the tokens) above MAX_MEAN_ENTROPY, text without one whole sentence, and words
    that repeat themselves. Whether it may be said at all is the verdict's to tell.
    """
    if mean_entropy > MAX_MEAN_ENTROPY:
        return ""
    sentences = whole_sentences(text)
    return "" if not words_of(sentences) or repeats_itself(sentences) else sentences


def repeats_itself(text: str) -> bool:
    """Three words come again, or one word three times or two words twice in a row; case does not matter."""
    words = words_of(text, _CHARACTERS_A_WORD)
    ngrams = list(zip(*(words[start:] for start in range(_NGRAM)), strict=False))
    if len(set(ngrams)) < len(ngrams) or any(len(set(ngram)) == 1 for ngram in ngrams):
        return True
    pairs = list(itertools.pairwise(words))
    return any(first == second for first, second in zip(pairs, pairs[2:], strict=False))
