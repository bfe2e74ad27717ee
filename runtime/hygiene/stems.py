"""Words without their endings, so that `hides`, `hidden` and `hiding` are one word: rough, and meant to be."""

import re

_LATIN = re.compile(r"[a-z]+")
_CYRILLIC = re.compile("[\u0430-\u045f]+")
_ARABIC = re.compile("[\u0621-\u064a]+")
_ENDINGS = ("iest", "ings", "ing", "ied", "ies", "ers", "est", "en", "ed", "es", "er", "ly", "s", "e", "y")
_ARTICLE = re.compile("^[\u0648\u0628\u0641\u0643]?(?:\u0627\u0644|\u0644\u0644)")
_SHORTEST_STEM = 3


def stem(word: str) -> str:
    """The stem of a folded word: English endings, the last two letters in Cyrillic, the article in Arabic."""
    if _LATIN.fullmatch(word):
        return _english(word)
    if _CYRILLIC.fullmatch(word):
        return word[: max(_SHORTEST_STEM, len(word) - 2)]
    if _ARABIC.fullmatch(word):
        return _ARTICLE.sub("", word) or word
    return word


def _english(word: str) -> str:
    for ending in _ENDINGS:
        left = word.removesuffix(ending)
        if left != word and len(left) >= _SHORTEST_STEM:
            return left[:-1] if left[-1] == left[-2] and left[-1] not in "aeiouls" else left
    return word
