"""Yarn Spinner: `.yarn` files of nodes, with lines, options and commands."""

import re
from pathlib import Path

from tools.train.script.conversation import Conversation, split_speaker
from tools.train.script.sample import Script, fault, read_text

_COMMAND = re.compile(r"<<.*?>>")
_COMMENT = re.compile(r"(?<![:\\])//.*")
_HASHTAGS = re.compile(r"(\s+#[^\s#]+)+\s*$")
_MARKUP = re.compile(r"(?<!\\)\[/?[A-Za-z_][^\]]*\]|(?<!\\)\[/\]")
_HEADER = re.compile(r"\s*[A-Za-z_][\w.]*\s*:.*|\s*")
_ESCAPED = re.compile(r"\\([\[\]{}<>#/\\])")
VARIABLES = "holds variables"


def read_yarn(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the lines of a file to `script`.

    What an option says are the player's words. Lines that name no speaker, and lines with variables, are left out.

    Raises:
        ScriptError: the file is not made of nodes.
    """
    body: _Body | None = None
    in_header, number = False, 0
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        text = line.strip()
        if body is not None:
            if text == "===":
                body = None
            else:
                body.read(line, number)
        elif text == "---":
            if not in_header:
                raise fault(path, number, "a node begins without a title", "Write title: above ---")
            body, in_header = _Body(script, players), False
        elif text and not text.startswith(("//", "#")):
            if not _HEADER.fullmatch(line):
                raise fault(path, number, f"{text[:40]!r} is no header", "A node is title:, ---, its lines and ===")
            in_header = True
    if body is not None or in_header:
        what = "===" if body is not None else "---"
        raise fault(path, number, f"the last node has no {what}", "A node is title:, ---, its lines and ===")


class _Body:
    """The lines of a node, one after another."""

    def __init__(self, script: Script, players: frozenset[str]) -> None:
        self._script = script
        # Conversations by the indentation from which on they count; options open new ones.
        self._open = [(0, Conversation(script, players))]
        self._in_options: list[Conversation] = []
        self._before_if: list[Conversation] = []

    def read(self, line: str, number: int) -> None:
        text = _COMMENT.sub("", line.expandtabs(4))
        indent = len(text) - len(text.lstrip())
        text = text.strip()
        if not text:
            return
        while indent < self._open[-1][0]:
            self._open.pop()
        conversation = self._open[-1][1]
        if text.startswith("->"):
            self._option(text[2:], indent, number)
            return
        if conversation in self._in_options:
            # Whichever option was taken came here: what was said last, nobody knows.
            self._in_options.remove(conversation)
            conversation.break_off()
        if text.startswith("<<") and _COMMAND.fullmatch(text):
            self._command(text[2:-2].split(), conversation)
            return
        if text.startswith("=>"):
            self._say(conversation.fork(), text[2:], number)
            return
        self._say(conversation, text, number)

    def _option(self, text: str, indent: int, number: int) -> None:
        conversation = self._open[-1][1]
        if conversation not in self._in_options:
            self._in_options.append(conversation)
        inside = conversation.fork()
        self._open.append((indent + 1, inside))
        speaker, words = split_speaker(_plain(text))
        if "{" in words:
            inside.break_off()
        elif words:
            inside.say(speaker, words, number) if speaker else inside.player_says(words, number)

    def _command(self, words: list[str], conversation: Conversation) -> None:
        name = words[0] if words else ""
        if name == "if":
            self._before_if.append(conversation.fork())
        elif name in ("else", "elseif") and self._before_if:
            conversation.return_to(self._before_if[-1])
        elif name == "endif" and self._before_if:
            conversation.return_to(self._before_if.pop())
        elif name in ("jump", "detour", "return", "stop"):
            conversation.break_off()

    def _say(self, conversation: Conversation, text: str, number: int) -> None:
        speaker, words = split_speaker(_plain(text))
        if not speaker:
            self._script.left_out["names no speaker"] += 1
        elif "{" in words:
            self._script.left_out[VARIABLES] += 1
            conversation.break_off()
        else:
            conversation.say(speaker, words, number)


def _plain(text: str) -> str:
    """A line without commands, hashtags and markup; `{` is left only where a variable stands."""
    text = _MARKUP.sub("", _HASHTAGS.sub("", _COMMAND.sub("", text).rstrip()))
    return " ".join(_ESCAPED.sub(lambda found: found[1].replace("{", "("), text).split())
