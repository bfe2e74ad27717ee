"""What a writer has settled of a line: words that stand as they are, and gaps for the model between them.

    Bring me {*} by {*1-4=nightfall}, or {*}.

`{*}` is a gap of any length, `{*3}` one of three tokens, `{*2-6}` one of two to six; behind an equals sign stands what
is said there if the model has nothing. `{{` and `}}` are braces. Everything else is pinned, letter for letter.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from runtime.errors import RequestError

MAX_GAPS = 16
MAX_GAP_TOKENS = 64
NOTHING_TO_SAY = "..."

_GAP = re.compile(r"\{\*(?:(?P<fewest>[0-9]{1,4})(?:-(?P<most>[0-9]{1,4}))?)?(?:=(?P<default>[^{}]+))?\}")
_HINT = "Write {*}, {*3}, {*2-6} or {*=words} for a gap, {{ and }} for braces"


@dataclass(frozen=True, slots=True)
class Pin:
    """Text that stands as it is.

    Attributes:
        text: not empty.
        loose: a phrase that a gap was split for: what parts it from its neighbours is not settled.
    """

    text: str
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for the model's words.

    Attributes:
        fewest: tokens, 1 or more; 0 for a gap that may stay empty.
        most: tokens; None for as many as the model likes.
        default: what is said here if the model has nothing; empty for none.
    """

    fewest: int = 1
    most: int | None = None
    default: str = ""


Part = Pin | Gap


@dataclass(frozen=True, slots=True)
class Template:
    """Pins and gaps in their order; at least one gap, and never two of them without words between."""

    parts: tuple[Part, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a template.

        Raises:
            RequestError: it is not written as told above, has no gap or more than 16, or no words between two gaps.
        """
        parts: list[Part] = []
        pinned, at = "", 0
        while at < len(text):
            if text[at : at + 2] in ("{{", "}}"):
                pinned, at = pinned + text[at], at + 2
            elif text[at] == "}":
                raise _error(at, "a brace closes that none has opened")
            elif text[at] == "{":
                match = _GAP.match(text, at)
                if match is None:
                    raise _error(at, f"{text[at : at + 20]!r} begins no gap")
                parts += [Pin(pinned)] if pinned else []
                if parts and (isinstance(parts[-1], Gap) or (len(parts) > 1 and not pinned.strip())):
                    raise _error(at, "two gaps have no words between them")
                parts.append(_gap(match, at))
                pinned, at = "", match.end()
            else:
                pinned, at = pinned + text[at], at + 1
        parts += [Pin(pinned)] if pinned else []
        gaps = sum(isinstance(part, Gap) for part in parts)
        if not 1 <= gaps <= MAX_GAPS:
            raise RequestError(f"template has {gaps} gaps, 1 to {MAX_GAPS} are allowed", _HINT)
        last = parts[-1]
        if gaps > 1 and isinstance(last, Gap) and last.most is None:
            # Where other gaps have words already, the model may leave it at that.
            parts[-1] = replace(last, fewest=0)
        return cls(tuple(parts))

    @classmethod
    def rewriting(cls, line: str, start: int, end: int) -> Self:
        """The template for other words instead of `line[start:end]`, which are its default.

        White space at either end of the span stays as it is.

        Raises:
            RequestError: the span holds no words, or braces, or does not lie in the line.
        """
        span = line[start:end] if 0 <= start < end <= len(line) else ""
        words = span.strip()
        if not words or set(words) & set("{}"):
            raise RequestError(
                f"characters {start} to {end} of the line are no words that could be written anew",
                "Mark some words of the line, without braces",
            )
        start += len(span) - len(span.lstrip())
        before, behind = line[:start], line[start + len(words) :]
        parts = [Pin(before) if before else None, Gap(default=words), Pin(behind) if behind else None]
        return cls(tuple(part for part in parts if part is not None))

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps in their order."""
        return tuple(part for part in self.parts if isinstance(part, Gap))

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The pins in their order."""
        return tuple(part for part in self.parts if isinstance(part, Pin))

    def __str__(self) -> str:
        """As `parse` reads it."""
        return "".join(_written(part) for part in self.parts)

    def including(self, phrases: Sequence[str]) -> "tuple[Template, ...]":
        """The templates that hold all of the phrases too: those that no pin holds, in one gap of any length.

        Raises:
            RequestError: there is no such gap.
        """
        missing = [phrase for phrase in _wanted(phrases) if not any(phrase in pin.text for pin in self.pins)]
        if not missing:
            return (self,)
        orders = [missing, missing[::-1]] if len(missing) > 1 else [missing]
        free = [index for index, part in enumerate(self.parts) if isinstance(part, Gap) and part.most is None]
        if not free:
            raise RequestError(
                f"the template has no gap that {missing[0][:40]!r} could stand in", "Give it a gap {*} of any length"
            )
        return tuple(self._split(index, order) for index in free for order in orders)

    def defaults(self) -> str:
        """The line without the model: the defaults in the gaps, else what `fillers` says where words are needed."""
        gaps = zip(self.gaps, self.fillers(), strict=True)
        return self.fill([gap.default if gap.fewest == 0 else filler for gap, filler in gaps])

    def fillers(self) -> tuple[str, ...]:
        """What stands in each gap if the model has no words for it: the default, else NOTHING_TO_SAY.

        Full stops that the pin behind begins with are taken for its last ones.
        """
        behind = [part.text if isinstance(part, Pin) else "" for part in (*self.parts[1:], Pin(" "))]
        return tuple(
            part.default or _dots_before(text)
            for part, text in zip(self.parts, behind, strict=True)
            if isinstance(part, Gap)
        )

    def fill(self, texts: Sequence[str], written: Callable[[str], str] = str) -> str:
        """The line with these texts in its gaps, white space at their ends aside.

        Args:
            texts: of the gaps, in their order.
            written: how a gap's text is handed out, such as escaped; what parts it from a phrase is settled before.
        """
        said, left = "", list(texts)
        parts = (None, *self.parts, None)
        for before, part, behind in zip(parts, self.parts, parts[2:], strict=False):
            if isinstance(part, Pin):
                said += part.text
                continue
            text = left.pop(0)
            loose_before, loose_behind = (isinstance(side, Pin) and side.loose for side in (before, behind))
            if not text.strip():
                said += " " if loose_before and loose_behind else ""
                said += "." if loose_before and behind is None and said[-1:].isalnum() else ""
                continue
            said += _joint(said, text) if loose_before else ""
            said += written(text.strip())
            said += " " if loose_behind and not _is_wide(text.strip()[-1]) else ""
        return said

    def texts_in(self, line: str) -> tuple[str, ...] | None:
        """The texts in the gaps of a line that has all the pins in their order; None for another line.

        Each pin is found as far to the left as it can be, the last one at the end if the template ends with it.
        """
        texts: list[str] = []
        at = 0
        for index, part in enumerate(self.parts):
            if isinstance(part, Gap):
                continue
            last = index == len(self.parts) - 1
            found = len(line) - len(part.text) if last else line.find(part.text, at)
            if found < at or not line.startswith(part.text, found) or (index == 0 and found > 0):
                return None
            texts += [line[at:found]] if index else []
            at = found + len(part.text)
        return tuple(texts if isinstance(self.parts[-1], Pin) else [*texts, line[at:]])

    def _split(self, index: int, phrases: Sequence[str]) -> "Template":
        gap = self.parts[index]
        assert isinstance(gap, Gap)
        inside: list[Part] = [Gap(0, default=gap.default)]
        for phrase in phrases:
            inside += [Pin(phrase, loose=True), Gap(0)]
        return Template((*self.parts[:index], *inside, *self.parts[index + 1 :]))


def templates_of(template: str | None, phrases: Sequence[str]) -> tuple[Template, ...]:
    """The templates that a line may follow to hold these phrases; none for a line that is all the model's.

    Raises:
        RequestError: the template cannot be read, or has no gap for a phrase.
    """
    if template is None:
        return Template((Gap(),)).including(phrases) if phrases else ()
    return Template.parse(template).including(phrases)


def written_beforehand(template: str | None, phrases: Sequence[str], authored: str) -> str:
    """What is said if there are no words of the model: the template with its defaults, else the authored line."""
    return completed(authored, phrases) if template is None else templates_of(template, phrases)[0].defaults()


def completed(line: str, phrases: Sequence[str]) -> str:
    """An authored line, with the phrases that it lacks as sentences behind it."""
    for phrase in _wanted(phrases):
        if phrase not in line:
            line = f"{line.rstrip()} {phrase}" + ("" if phrase[-1] in ".!?\u2026\u3002\uff01\uff1f" else ".")
    return line


def _wanted(phrases: Sequence[str]) -> list[str]:
    """The phrases without white space around them, each once, and none that another one holds."""
    different = list(dict.fromkeys(phrase.strip() for phrase in phrases if phrase.strip()))
    return [phrase for phrase in different if not any(phrase in other for other in different if other != phrase)]


def _dots_before(behind: str) -> str:
    """NOTHING_TO_SAY, less the full stops or the ellipsis that stand behind it anyway."""
    if behind.startswith("\u2026"):
        return ""
    return NOTHING_TO_SAY[len(behind) - len(behind.lstrip(".")) :]


def _gap(match: re.Match[str], at: int) -> Gap:
    default = match["default"] or ""
    if default and not default.strip():
        raise _error(at, "a default has words")
    if match["fewest"] is None:
        return Gap(default=default)
    fewest = int(match["fewest"])
    most = fewest if match["most"] is None else int(match["most"])
    if not 1 <= fewest <= most <= MAX_GAP_TOKENS:
        raise _error(at, f"a gap has 1 to {MAX_GAP_TOKENS} tokens, the fewest first")
    return Gap(fewest, most, default)


def _written(part: Part) -> str:
    if isinstance(part, Pin):
        return part.text.replace("{", "{{").replace("}", "}}")
    length = "" if part.most is None else str(part.fewest) if part.fewest == part.most else f"{part.fewest}-{part.most}"
    return f"{{*{length}{'=' if part.default else ''}{part.default}}}"


def _joint(before: str, text: str) -> str:
    """What parts a phrase from the words behind it: nothing before a mark, or in scripts that know no spaces."""
    glued = not (text[0].isspace() or text[0].isalnum())
    return "" if glued or _is_wide(before[-1]) or _is_wide(text.strip()[0]) else " "


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in ("W", "F")


def _error(at: int, what: str) -> RequestError:
    return RequestError(f"template, character {at + 1}: {what}", _HINT)
