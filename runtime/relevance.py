"""Which facts belong to what is being said: those that share its words, and rarer words say more."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from runtime.hygiene.function_words import FUNCTION_WORDS
from runtime.hygiene.stems import stem
from runtime.hygiene.words import words_of

_EARLIER = 0.5
"""Weight of a word that was said in the turn before, next to one that is said now."""

_RUN = 2
"""Characters of a word in scripts that put no spaces between words."""

_KEPT_TEXTS = 4096
"""Whose words are remembered: the same facts come with every ask."""


def by_relevance(facts: Sequence[str], said: str, earlier: Sequence[str] = ()) -> list[int]:
    """Indices of the facts, the most relevant first, and of equals the earlier.

    A word counts log((facts + 1) / facts that have it), half of that if it was said earlier only, and nothing if no
    fact has it. Words are compared without case, accents and endings; those that only hold sentences together count
    nothing.

    Args:
        facts: one or a few sentences each.
        said: what the player says now.
        earlier: what was said in the turn before.
    """
    words = [_stems(fact) for fact in facts]
    having = Counter(word for known in words for word in known)
    now, before = _stems(said), frozenset[str]().union(*map(_stems, earlier))

    def worth(word: str) -> float:
        return (1.0 if word in now else _EARLIER) * math.log((len(facts) + 1) / having[word])

    # fsum: a set has no order of its own, and the sum may not depend on one.
    scores = [math.fsum(map(worth, known & (now | before))) for known in words]
    return sorted(range(len(facts)), key=lambda index: (-scores[index], index))


@lru_cache(_KEPT_TEXTS)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(text, _RUN) if word not in FUNCTION_WORDS)
