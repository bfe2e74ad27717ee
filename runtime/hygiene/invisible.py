"""Characters that cannot be seen: out, except where a script or an emoji needs them."""

import re
import unicodedata

MAX_MARKS = 4
"""Combining marks on one letter; Hebrew, Thai and Vietnamese need up to three, floods use dozens."""

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff\ufe0f\u20e3"
_JOINER = re.compile(f"(?<=[{_EMOJI}]){_ZWJ}(?=[{_EMOJI}])")
# Arabic, Syriac and the scripts of India, where both joiners change the shape of letters.
_JOINING_SCRIPTS = "\u0600-\u07bf\u0860-\u08ff\u0900-\u0dff\ufb50-\ufdff\ufe70-\ufefc"
_SHAPING = re.compile(f"(?<=[{_JOINING_SCRIPTS}])[{_ZWNJ}{_ZWJ}](?=[{_JOINING_SCRIPTS}])")
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{1,6}\U000e007f")
_KEPT = re.compile(f"{_JOINER.pattern}|{_SHAPING.pattern}|{_FLAG.pattern}")

# Shown as nothing or as a blank though they count as letters, marks or symbols.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\ufffd")
# Control, format, private use and surrogate characters, and the two separators that are no white space to some engines.
_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs"))
_SELECTOR = re.compile("(?<![\\S])[\ufe00-\ufe0f]+|([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")


def without_invisible(text: str) -> str:
    """The text without control, format, private-use and surrogate characters, fillers and floods of combining marks.

    White space stays as it is. Joiners stay between emoji and inside words of scripts that shape letters by them, tag
    characters in flags, and one variation selector behind a character. Directional marks and overrides go: engines
    order right-to-left text by its letters.
    """
    if text.isascii() and text.isprintable():
        return text
    pieces, start = [], 0
    for kept in _KEPT.finditer(text):
        pieces += [_visible(text[start : kept.start()]), kept.group()]
        start = kept.end()
    text = "".join([*pieces, _visible(text[start:])])
    return _without_floods(_SELECTOR.sub(lambda match: match.group(1) or "", text))


def _visible(text: str) -> str:
    return "".join(
        char for char in text if char.isspace() or (char not in _BLANKS and unicodedata.category(char) not in _HIDDEN)
    )


def _without_floods(text: str) -> str:
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MAX_MARKS:
            kept.append(char)
    return "".join(kept)
