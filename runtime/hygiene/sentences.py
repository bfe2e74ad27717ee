"""Where sentences end, in any script."""

import re

_CLOSERS = "\"'\u201d\u2019\u00bb)\\]\u300d\u300f\uff09\u3011"
# A space follows those of Latin, Cyrillic, Greek, Arabic, Urdu, Devanagari, Armenian and Ethiopic script.
_SPACED = f"(?:[.!?\u2026\u037e\u061f\u06d4\u0964\u0965\u0589\u1362\u1367]+[{_CLOSERS}\u201c]*)(?=\\s|$)"
# Chinese and Japanese put no space behind theirs.
_UNSPACED = f"(?:[\u3002\uff01\uff1f\uff61]+[.!?\u2026]*[{_CLOSERS}]*)"
_END = re.compile(f"{_UNSPACED}|{_SPACED}")
_TITLE = re.compile(r"(?:^|[\s(\"'\u201c])(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Lt|Sgt|Mme|Mlle)\.$")
_INITIAL = re.compile(r"(?:^|[\s(\"'\u201c])[A-HJ-Z]\.(?=\s+[A-Z])")
_LONGEST_TITLE = 6
# Enough of a text to see how it ends.
_LONGEST_END = 60
_LOWER = re.compile(r"\s+[a-z\u00df-\u00f6\u00f8-\u00ff\u0430-\u045f]")


def sentence_ends(text: str) -> list[int]:
    """Index behind the end of every sentence, closing quotes and brackets included.

    A full stop or an ellipsis that a small letter follows, and the one behind a title or an initial, end none.
    """
    initials = {match.end() for match in _INITIAL.finditer(text)}
    ends = []
    for match in _END.finditer(text):
        full_stop = match.group()[0] in ".\u2026"
        title = match.end() in initials or _TITLE.search(
            text, max(0, match.start() - _LONGEST_TITLE), match.start() + 1
        )
        if not (full_stop and (title or _LOWER.match(text, match.end()))):
            ends.append(match.end())
    return ends


def ends_sentence(text: str) -> bool:
    """A sentence ends where the text does, white space aside."""
    tail = text.rstrip()[-_LONGEST_END:]
    ends = sentence_ends(tail)
    return bool(ends) and ends[-1] == len(tail)


def whole_sentences(text: str) -> str:
    """The text up to the end of its last whole sentence; empty if it has none."""
    ends = sentence_ends(text)
    return text[: ends[-1]] if ends else ""
