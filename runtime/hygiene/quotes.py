"""Quotation marks: one kind of them in a line, and none around the whole of it."""

import re

_STRAIGHT, _CURLY = '"', "\u201c\u201d\u201e\u201f"
_DOUBLES = str.maketrans(dict.fromkeys(_CURLY, _STRAIGHT))
_SINGLES = str.maketrans(dict.fromkeys("\u2018\u2019\u201a\u201b", "'"))
# Typed with an accent or a backtick for want of an apostrophe.
_ACCENT_IN_WORD = re.compile("(?<=\\w)[`\u00b4](?=\\w)")
_TYPEWRITER = re.compile("``|(?<!')''(?!')")
_PAIRS = (('"', '"'), ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"), ("\u300c", "\u300d"))


def one_kind_of_quotes(text: str) -> str:
    """Curly marks become straight ones in a text that has both; ``these'' and accents as apostrophes become usual ones.

    A text with one kind only keeps it, and so do guillemets and corner brackets.
    """
    text = _ACCENT_IN_WORD.sub("'", _TYPEWRITER.sub(_STRAIGHT, text))
    if _STRAIGHT in text and any(mark in text for mark in _CURLY):
        text = text.translate(_DOUBLES)
    if "'" in text:
        text = text.translate(_SINGLES)
    return text


def without_outer_quotes(text: str) -> str:
    """What stands inside, if the whole text is one quotation."""
    for opening, closing in _PAIRS:
        inner = text[len(opening) : -len(closing)]
        whole = len(text) > 1 and text.startswith(opening) and text.endswith(closing)
        if whole and opening not in inner and closing not in inner:
            return inner.strip()
    return text
