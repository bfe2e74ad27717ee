"""Lines that are no longer than a character may speak."""

import re

from runtime.hygiene.sentences import sentence_ends

_ELLIPSIS = "\u2026"
# What may not be torn from the character before it: marks, variation selectors, joiners and what they join, skin tones.
_HANGS_ON = re.compile("[\u0300-\u036f\u200d\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def shortened(text: str, max_sentences: int | None, max_chars: int | None) -> str:
    """The start of the text that keeps both limits and ends with a sentence.

    Where already the first sentence is too long, it is cut between two words, where there are no spaces between two
    characters, and ends in an ellipsis.
    """
    ends = sentence_ends(text)
    if max_sentences is not None and len(ends) >= max_sentences:
        text = text[: ends[max_sentences - 1]]
    if max_chars is None or len(text) <= max_chars:
        return text
    fitting = [end for end in ends if end <= max_chars]
    return text[: fitting[-1]] if fitting else _cut(text, max_chars)


def _cut(text: str, max_chars: int) -> str:
    end = max_chars - len(_ELLIPSIS)
    while end > 0 and (_HANGS_ON.match(text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    space = text.rfind(" ", 0, end + 1)
    words = text[: space if space > 0 else end]
    return words.rstrip(" ,;:-\u2013\u2014\u3001\uff0c\uff1a\uff1b") + _ELLIPSIS
