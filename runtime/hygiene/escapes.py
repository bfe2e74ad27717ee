"""Text for engines that read tags in it: shown as it is, obeyed nowhere."""

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Literal, get_args

EscapeKind = Literal["plain", "bbcode", "richtext", "yarn", "ink"]
ESCAPE_KINDS: tuple[str, ...] = get_args(EscapeKind)

_INK_ANYWHERE = re.compile(r'[\\{}|#\[\]<>/*~"]')
_INK_AT_THE_START = re.compile(r"\s*(?=[+=-]|(?:TODO|INCLUDE|VAR|CONST|LIST|EXTERNAL)\b)")


def escape(text: str, kind: str) -> str:
    """The text as it has to be handed to an engine.

    Args:
        text: finished text, on one line.
        kind: "plain" for none; "bbcode" for Godot's RichTextLabel; "richtext" for Unity's TextMeshPro and UI Toolkit;
            "yarn" for a value shown by a line of Yarn Spinner; "ink" for source text of ink.
    """
    return _ESCAPES[kind](text)


def _bbcode(text: str) -> str:
    """An opening bracket is all that begins a tag (Godot manual, "BBCode in RichTextLabel", handling user input)."""
    return text.replace("[", "[lb]")


def _richtext(text: str) -> str:
    """Each `<` in a scope that is not parsed (TextMesh Pro manual, "Noparse").

    One scope for each of them: around the whole text, a `</noparse>` in it would end the protection.
    """
    return text.replace("<", "<noparse><</noparse>")


def _yarn(text: str) -> str:
    r"""Brackets with a backslash (Yarn Spinner's LineParser: only `\[` and `\]` are read as brackets).

    A backslash is doubled, or it would free the bracket behind it from its own in Yarn Spinner 2; version 3 shows both.
    Braces, `#` and `<<` mean something in .yarn files only, not in values.
    """
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _ink(text: str) -> str:
    """A backslash before whatever ends plain text, and before what makes a line something else (ink's InkParser).

    Its source ends text at {}|#\\ and a line break, in choices also at [], in strings at a quotation mark; glue,
    diverts and threads hold < or >; comments have slashes and asterisks; +, -, = and declarations begin a line.
    """
    start = _INK_AT_THE_START.match(text)
    escaped = _INK_ANYWHERE.sub(r"\\\g<0>", text)
    return escaped if start is None else f"{start.group()}\\{escaped[start.end() :]}"


_ESCAPES: MappingProxyType[str, Callable[[str], str]] = MappingProxyType(
    {"plain": str, "bbcode": _bbcode, "richtext": _richtext, "yarn": _yarn, "ink": _ink}
)
