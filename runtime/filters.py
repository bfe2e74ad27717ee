"""The studio's own filter, which every line of the model goes through."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from runtime.checks import check_texts
from runtime.errors import PalaverError
from runtime.npc import Npc
from runtime.plugin import load_function

Filter = Callable[[str, Npc], str | None]
"""Gets a line and the character who would say it; returns the line to be said, the same or another, or None to refuse.

It runs on the thread that makes all lines: keep it short. The same line has to give the same answer every time.
"""

MAX_ALLOWED = 256
MAX_PHRASE_CHARS = 200

_PLACEHOLDER = "\ufffc"
"""Stands for an allowed phrase while a filter looks; hygiene lets no such character through from elsewhere."""


@dataclass(frozen=True, slots=True)
class StudioFilters:
    """Filters in their order, and phrases that filters and ban lists leave alone.

    Attributes:
        filters: each gets what the one before it returned.
        allowed: words or phrases, at most 256 of 200 characters, found as whole words in whatever case: a name such as
            "Gut Ironhand" that a word list would catch.

    Raises:
        RequestError: `allowed` is longer than that.
    """

    filters: tuple[Filter, ...] = ()
    allowed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_texts("allowed", self.allowed, what="phrases", max_count=MAX_ALLOWED, max_chars=MAX_PHRASE_CHARS)

    def without_allowed(self, text: str) -> list[str]:
        """The pieces of the text between allowed phrases."""
        pattern = self._pattern()
        return [text] if pattern is None else pattern.split(text)

    def apply(self, text: str, npc: Npc) -> str | None:
        """What the filters make of a line; None if one refuses it.

        Raises:
            PalaverError: a filter fails, or returns neither text nor None ("filter-failed").
        """
        if not self.filters:
            return text
        pattern = self._pattern()
        phrases = [] if pattern is None else pattern.findall(text)
        hidden = _PLACEHOLDER.join(self.without_allowed(text))
        for check in self.filters:
            checked = _answer(check, hidden, npc)
            if checked is None:
                return None
            hidden = checked
        for phrase in phrases:
            hidden = hidden.replace(_PLACEHOLDER, phrase, 1)
        return hidden.replace(_PLACEHOLDER, "")

    def _pattern(self) -> re.Pattern[str] | None:
        if not self.allowed:
            return None
        longest_first = sorted(self.allowed, key=len, reverse=True)
        return re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in longest_first), re.IGNORECASE)


def _answer(check: Filter, text: str, npc: Npc) -> str | None:
    try:
        answer: object = check(text, npc)
    # Whatever a studio's function raises.
    except Exception as error:
        raise _failed(check, f"fails ({type(error).__name__}: {error})") from error
    if answer is None or isinstance(answer, str):
        return answer
    raise _failed(check, f"returns {type(answer).__name__}")


def _failed(check: Filter, problem: str) -> PalaverError:
    name = getattr(check, "__qualname__", type(check).__qualname__)
    return PalaverError(
        f"the filter {check.__module__}:{name} {problem}",
        "It gets a line and its Npc, and has to return the text to be said, or None to refuse",
        code="filter-failed",
    )


def load_filter(name: str) -> Filter:
    """The function that `module:function` names.

    Raises:
        RequestError: the module cannot be imported, or it has no such function.
    """
    return load_function(name, "filter")
