"""Whether a line tells a secret: it has words that nothing but the secret could have given it."""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from runtime.hygiene.function_words import FUNCTION_WORDS
from runtime.hygiene.stems import stem
from runtime.hygiene.words import is_unspaced, words_of

FEWEST_WORDS = 2
LEAST_SHARE = 0.5
LEAST_SHARE_OF_PAIRS = 0.2
STRONG_WEIGHT = 3
"""A line tells a secret if it has FEWEST_WORDS of the words that only the secret holds, and LEAST_SHARE of their weight
(without spaces: of pairs of characters, many of which are no words). A name, a number or a quoted word weighs as much
as STRONG_WEIGHT others, and is enough alone. All of it is measured, see docs/text.md."""

_PAIR = 2
_CACHED_TEXTS = 2048
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+")
_OPENING, _CLOSING = '"\u201c\u201e\u00ab\u300c\u300e', '"\u201c\u201d\u00bb\u300d\u300f'
_QUOTED = re.compile(f"[{_OPENING}]([^{_OPENING}{_CLOSING}]+)[{_CLOSING}]")
# Behind another word, for a capital at the start of a sentence means nothing.
_INSIDE = re.compile(r"(?<=[\w,;:] )[^\W\d_]\w*")


@dataclass(frozen=True, slots=True)
class _Said:
    """Stems of a line, and those among them that are written like a name, not small."""

    stems: frozenset[str]
    not_small: frozenset[str]


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret, as stems that stand nowhere else in the prompt.

    Attributes:
        telling: all of them.
        names: those that are written with a capital inside a sentence.
        strong: those with a digit, or quoted.
        least_share: of the weight of `telling` that tells it.
    """

    telling: frozenset[str]
    names: frozenset[str]
    strong: frozenset[str]
    least_share: float

    def is_told_by(self, said: _Said) -> bool:
        """Whether a line that says this tells it."""
        if self.strong & said.stems or self.names & said.not_small:
            return True
        told = len(self.telling & said.stems)
        weight = len(self.telling) + (STRONG_WEIGHT - 1) * len(self.strong | self.names)
        return told >= min(FEWEST_WORDS, len(self.telling)) and told >= self.least_share * weight > 0


@dataclass(frozen=True, slots=True)
class SecretRule:
    """The secrets of a persona, against everything else that a line may draw on."""

    secrets: tuple[Secret, ...]

    @classmethod
    def of(cls, secrets: Sequence[str], told: Iterable[str]) -> Self:
        """The rule for these secrets, less the words of everything that is told anyway: persona, world, player."""
        if not secrets:
            return cls(())
        known = frozenset().union(*map(_stems, told))
        return cls(tuple(_secret(text, known) for text in secrets))

    def is_told_in(self, text: str) -> bool:
        """Whether the line tells one of the secrets."""
        if not self.secrets:
            return False
        not_small = " ".join(word for word in _WORD.findall(text) if not word[0].islower())
        said = _Said(_stems(text), _stems(not_small))
        return any(secret.is_told_by(said) for secret in self.secrets)


def _secret(text: str, known: frozenset[str]) -> Secret:
    telling = _stems(text) - known
    names = _stems(" ".join(word for word in _INSIDE.findall(text) if word[0].isupper()))
    strong = _stems(" ".join(_QUOTED.findall(text))) | {word for word in telling if _DIGIT.search(word)}
    pairs = sum(map(is_unspaced, telling)) > len(telling) / 2
    return Secret(telling, names & telling, strong & telling, LEAST_SHARE_OF_PAIRS if pairs else LEAST_SHARE)


# The persona and most of the history are the same from ask to ask.
@functools.lru_cache(maxsize=_CACHED_TEXTS)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(text, _PAIR) if word not in FUNCTION_WORDS)
