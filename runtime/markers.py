"""Removing control tokens that are spelled out in text."""

import re
from collections.abc import Iterable


def remove_markers(text: str, markers: Iterable[str]) -> str:
    """Delete every occurrence of every marker, again and again until none is left.

    One pass is not enough: taking `<eos>` out of `<tu<eos>rn|>` spells the next marker.
    """
    found = sorted((marker for marker in markers if marker), key=len, reverse=True)
    if not found:
        return text
    pattern = re.compile("|".join(map(re.escape, found)))
    while (shorter := pattern.sub("", text)) != text:
        text = shorter
    return text
