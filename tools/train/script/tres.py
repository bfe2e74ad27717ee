"""Godot: `.tres` text resources that hold dialogue, those of Dialogue Manager and whatever looks like them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.train.script import columns
from tools.train.script.conversation import Conversation
from tools.train.script.godot_values import Values
from tools.train.script.sample import Script, fault, read_text

_SECTION = re.compile(r"\s*\[(gd_resource|ext_resource|sub_resource|resource)\b((?:[^\]\"]|\"[^\"]*\")*)\]")
_PROPERTY = re.compile(r"\s*([A-Za-z_][\w/]*)\s*=")
_MARKUP = re.compile(r"\[/?[A-Za-z_#][^\]]*\]")
_NEXT = ("next_id", "next", "next_node", "goto")
_LONGEST_CHAIN = 3

Table = dict[str, Any]


def read_tres(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the dialogue of a resource to `script`: every table in it that has a speaker and a text.

    Where tables tell what comes next, that is the order; a table with a text and no speaker, of type "response", holds
    the player's words. Markup in brackets is taken out, texts with variables are left out.

    Raises:
        ScriptError: the file is not a text resource of Godot.
    """
    tables = [(key, table, number) for section in read_sections(path) for key, table, number in _tables(section)]
    spoken = [(key, table, number) for key, table, number in tables if _text(table)]
    before = {
        str(table[following]): (key, table, number)
        for key, table, number in spoken
        if (following := columns.named(table, _NEXT)) is not None
    }
    is_linked = any(key in before for key, _, _ in spoken)
    talk = Conversation(script, players)
    for key, table, number in spoken:
        if is_linked:
            talk = Conversation(Script(), players)
            for earlier in _chain(key, before):
                _say(talk, earlier, number, Script(), players)
            talk.write_to(script)
        _say(talk, table, number, script, players)


def read_sections(path: Path) -> Iterator[tuple[Table, dict[int, int]]]:
    """The properties of each resource in the file, and on which line each table in them begins.

    Raises:
        ScriptError: the file is not a text resource of Godot.
    """
    text = read_text(path)
    values = Values(path, text)
    if (found := _SECTION.match(text)) is None or found[1] != "gd_resource":
        raise fault(path, 1, "this is no text resource of Godot", "Save it as .tres")
    values.position = found.end()
    section: Table = {}
    while text[values.position :].strip():
        if found := _SECTION.match(text, values.position):
            yield section, values.lines
            section, values.position = {}, found.end()
            values.lines[id(section)] = values.line_number()
        elif found := _PROPERTY.match(text, values.position):
            values.position = found.end()
            section[found[1]] = values.value()
        else:
            raise fault(path, values.line_number(), "neither a section nor a property", "Save it in Godot again")
    yield section, values.lines


def _tables(section: tuple[Table, dict[int, int]]) -> Iterator[tuple[str, Table, int]]:
    """Every table of a section under its key, the section itself among them."""
    properties, lines = section

    def inside(key: str, value: Any) -> Iterator[tuple[str, Table, int]]:
        if isinstance(value, dict):
            yield key, value, lines.get(id(value), 1)
            for name, part in value.items():
                yield from inside(name, part)
        elif isinstance(value, list):
            for part in value:
                yield from inside("", part)

    return inside("", properties)


def _text(table: Table) -> str:
    text = table.get(columns.named(table, columns.LINE) or "")
    return " ".join(_MARKUP.sub("", text).split()) if isinstance(text, str) else ""


def _chain(key: str, before: dict[str, tuple[str, Table, int]]) -> list[Table]:
    """What was said before the table under `key`, oldest first."""
    found: list[Table] = []
    while len(found) < _LONGEST_CHAIN and key and key in before:
        key, table, _ = before[key]
        found.insert(0, table)
    return found


def _say(talk: Conversation, table: Table, number: int, script: Script, players: frozenset[str]) -> None:
    speaker = table.get(columns.named(table, columns.SPEAKER) or "")
    text = _text(table)
    if "{{" in text:
        script.left_out["holds variables"] += 1
        talk.break_off()
    elif isinstance(speaker, str) and speaker.strip():
        talk.say(speaker.strip(), text, number)
    elif table.get("type") == "response":
        talk.player_says(text, number)
    else:
        script.left_out["names no speaker"] += 1
