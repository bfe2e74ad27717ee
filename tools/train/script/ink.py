"""ink: `.ink` files of knots, with text, choices, gathers and logic."""

import re
from pathlib import Path

from tools.train.script.conversation import Conversation, split_speaker
from tools.train.script.sample import Script, fault, read_text
from tools.train.script.yarn import VARIABLES

_KNOT = re.compile(r"={1,}\s*(function\s+)?\w+.*")
_STATEMENT = re.compile(r"(VAR|CONST|LIST|INCLUDE|EXTERNAL|TODO)\b.*|~.*|->.*|<-.*")
_MARKS = re.compile(r"\s*((?:[*+]\s*)+|(?:-(?!>)\s*)+)")
_LABEL = re.compile(r"\s*\(\w+\)\s*")
_CONDITIONS = re.compile(r"\s*(\{[^{}]*\}\s*)+")
_BRANCH = re.compile(r"\s*-(?!>)\s*[^:]*:\s*")
_DIVERT = re.compile(r"(->|<-).*$")
_TAG = re.compile(r"(?<!\\)#\s*([^#]*)")
_SPEAKER_TAG = re.compile(r"(?:speaker|character|name)\s*:\s*(\S.*?)\s*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“](.+?)[\"”].*")


def read_ink(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the lines of a file to `script`.

    Who speaks is told by `Name: text` or by a tag `# speaker: Name`, on the line or above it. What a choice says are
    the player's words. Text that names no speaker, and text with logic in it, is left out.

    Raises:
        ScriptError: a comment or a block of logic is never closed.
    """
    story = _Story(script, players)
    for number, line in _without_comments(path, read_text(path)):
        story.read(line, number)
    if story.braces:
        raise fault(path, story.braces[-1], "this { is never closed", "Close the block with }")


class _Story:
    """The lines of a file, one after another."""

    def __init__(self, script: Script, players: frozenset[str]) -> None:
        self._script, self._players = script, players
        self._levels = [Conversation(script, players)]
        self._speaker = ""
        self.braces: list[int] = []

    def read(self, line: str, number: int) -> None:
        text = line.strip()
        if not text:
            return
        if not self.braces and _KNOT.fullmatch(text):
            self._levels, self._speaker = [Conversation(self._script, self._players)], ""
        elif not _STATEMENT.fullmatch(text):
            self._logic(text, number)

    def _logic(self, text: str, number: int) -> None:
        """Blocks of logic over several lines hold text too, behind `- condition:` or by itself."""
        opened, closed = text.count("{"), text.count("}")
        if opened > closed and not _MARKS.match(text):
            self.braces += [number] * (opened - closed)
            return
        if closed > opened:
            del self.braces[-(closed - opened) :]
            self._levels[-1].break_off()
            return
        if self.braces and (branch := _BRANCH.match(text)):
            self._levels[-1].break_off()
            text = text[branch.end() :]
        if text:
            self._text(text, number)

    def _text(self, text: str, number: int) -> None:
        marks = _MARKS.match(text)
        if marks is not None:
            level = len(marks[1].replace(" ", ""))
            text = _CONDITIONS.sub("", _LABEL.sub("", text[marks.end() :], count=1), count=1)
            if marks[1][0] in "*+":
                self._choice(text, level, number)
                return
            del self._levels[max(1, level) :]
            self._levels[-1].break_off()
        self._say(text, number)

    def _choice(self, text: str, level: int, number: int) -> None:
        del self._levels[level:]
        inside = self._levels[-1].fork()
        self._levels.append(inside)
        said, bracket, rest = _plain(text).partition("[")
        words = f"{said}{rest.partition(']')[0]}" if bracket else said
        quoted = _QUOTED.fullmatch(words.strip())
        words = " ".join((quoted[1] if quoted else words).split())
        if "{" in words:
            inside.break_off()
        elif words:
            inside.player_says(words, number)

    def _say(self, text: str, number: int) -> None:
        words = _plain(text)
        tagged = [found[1] for tag in _TAG.findall(text) if (found := _SPEAKER_TAG.fullmatch(tag.strip()))]
        if not words:
            self._speaker = tagged[-1] if tagged else self._speaker
            return
        speaker, self._speaker = tagged[-1] if tagged else self._speaker, ""
        if not speaker:
            speaker, words = split_speaker(words)
        if not speaker:
            self._script.left_out["names no speaker"] += 1
        elif "{" in words:
            self._script.left_out[VARIABLES] += 1
            self._levels[-1].break_off()
        else:
            self._levels[-1].say(speaker, words, number)


def _plain(text: str) -> str:
    """Text without tags, diverts and glue."""
    text = _DIVERT.sub("", _TAG.sub("", text)).replace("<>", " ").replace("\\#", "#")
    return " ".join(text.split())


def _without_comments(path: Path, text: str) -> list[tuple[int, str]]:
    """The lines with their numbers, comments blanked."""
    lines, opened_at = [], 0
    for number, line in enumerate(text.split("\n"), start=1):
        kept = ""
        while line:
            if opened_at:
                _, end, line = line.partition("*/")
                opened_at = 0 if end else opened_at
                continue
            before, mark, line = line.partition("/*") if _first(line, "/*", "//") else line.partition("//")
            kept += before
            if mark == "/*":
                opened_at = number
            else:
                break
        lines.append((number, kept))
    if opened_at:
        raise fault(path, opened_at, "this comment is never closed", "Close it with */")
    return lines


def _first(line: str, mark: str, other: str) -> bool:
    """Whether `mark` comes before `other`."""
    return mark in line and (other not in line or line.index(mark) < line.index(other))
