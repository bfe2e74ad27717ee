"""gettext: `.po` and `.pot` files with the lines of a game, translated or not."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.train.script.conversation import split_speaker
from tools.train.script.sample import Sample, Script, fault, read_text

_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d+)\])?\s*(\".*\")")
_NOTE = re.compile(r"#\.\s*(\w+)\s*:\s*(.*\S)\s*")
_SPEAKER_NOTES = ("speaker", "character", "actor", "voice")
_CONTEXT_NOTES = ("context", "player", "prompt", "answers")
_VARIABLE = re.compile(r"\{\w*\}|%[sdif]|%\(\w+\)|\[\w+\]")


@dataclass(slots=True)
class _Entry:
    number: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    flags: str = ""


def read_po(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the entries of a file to `script`: the translation, or the original where there is none.

    Who speaks is told by a comment `#. speaker: Name`, by `Name: text`, or else by msgctxt; what is answered, by a
    comment `#. context: text`.

    Raises:
        ScriptError: a line is none of a .po file.
    """
    entry, key = _Entry(), ""
    for number, line in enumerate([*read_text(path).split("\n"), ""], start=1):
        text = line.strip()
        keyword = _KEYWORD.fullmatch(text)
        # A comment, an empty line or the next msgid ends the entry whose translation has been read.
        if "msgstr" in entry.texts and not text.startswith('"') and not (keyword and keyword[1] == "msgstr"):
            _add(entry, players, script)
            entry, key = _Entry(), ""
        if not text or text.startswith("#"):
            if note := _NOTE.fullmatch(text):
                entry.notes[note[1].casefold()] = note[2]
            elif text.startswith("#,"):
                entry.flags += text
        elif keyword is not None:
            key = keyword[1]
            if key == "msgid":
                entry.number = number
            if keyword[2] in (None, "0"):
                entry.texts[key] = _unquoted(path, number, keyword[3])
            else:
                key = "plural"
                entry.texts.setdefault(key, "")
        elif text.startswith('"') and key:
            entry.texts[key] += _unquoted(path, number, text)
        else:
            raise fault(path, number, f"{text[:40]!r} is no part of an entry", "An entry is msgid and msgstr")
    if entry.texts:
        raise fault(path, entry.number, "the last entry has no msgstr", "Add it, if empty")


def _unquoted(path: Path, number: int, text: str) -> str:
    try:
        # The escapes of gettext are those of C, of which Python knows all that occur.
        return str(ast.literal_eval(text))
    except (ValueError, SyntaxError) as error:
        raise fault(
            path, number, "this string is not closed, or holds a stray quotation mark", 'Write \\" inside'
        ) from error


def _add(entry: _Entry, players: frozenset[str], script: Script) -> None:
    original = entry.texts.get("msgid", "")
    if not original:
        return
    is_translated = bool(entry.texts["msgstr"]) and "fuzzy" not in entry.flags
    line = entry.texts["msgstr"] if is_translated else original
    speaker = next((entry.notes[note] for note in _SPEAKER_NOTES if note in entry.notes), "")
    if not speaker:
        speaker, line = split_speaker(line)
        speaker = speaker or entry.texts.get("msgctxt", "").strip()
    if not speaker:
        script.left_out["names no speaker"] += 1
    elif _VARIABLE.search(line):
        script.left_out["holds variables"] += 1
    elif speaker.casefold() not in players:
        said = next((entry.notes[note] for note in _CONTEXT_NOTES if note in entry.notes), "")
        script.samples.append(Sample(speaker, " ".join(line.split()), (said,) if said else (), entry.number))
