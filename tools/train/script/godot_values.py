"""Values as Godot writes them into `.tres` and `.tscn` files."""

import re
from pathlib import Path
from typing import Any

from tools.train.script.sample import fault

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>[&^]?"(?:[^"\\]|\\.)*")
      | (?P<number>[-+]?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)\b)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<mark>[\[\]{}():,])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{6}|.)", re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None}


class Values:
    """Reads one value after another from the text of a file.

    Args:
        path: for errors.
        text: all of the file.
    """

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text = path, text
        self.position = 0
        #: Line of the file on which each table begins, by identity.
        self.lines: dict[int, int] = {}

    def line_number(self) -> int:
        """Line of the file, from 1."""
        return self._text.count("\n", 0, self.position) + 1

    def value(self) -> Any:
        """The value that stands at `position`, which moves behind it.

        Texts, numbers, true, false and null; arrays and packed arrays as lists; dictionaries as dicts; every other
        `Word(...)` as None.

        Raises:
            ScriptError: there is none.
        """
        kind, text = self._next()
        if kind == "text":
            return _unescaped(text[text.index('"') + 1 : -1])
        if kind == "number":
            return float(text)
        if kind == "word":
            return _WORDS[text] if text in _WORDS else self._called(text)
        if text == "[":
            return self._list("]")
        if text == "{":
            return self._table()
        raise self._fault(f"{text!r} is no value")

    def _called(self, word: str) -> Any:
        if self._peek() == "[":  # Array[String](["..."])
            self._next()
            self._list("]")
        if self._peek() != "(":
            raise self._fault(f"{word!r} is no value")
        self._next()
        given = self._list(")")
        if word == "Array":
            return given[0] if given else []
        return given if word.startswith("Packed") else None

    def _list(self, end: str) -> list[Any]:
        found: list[Any] = []
        while self._peek() != end:
            found.append(None if self._peek_is_type() else self.value())
            if self._peek() == ",":
                self._next()
            elif self._peek() != end:
                raise self._fault(f"a comma or {end} is missing")
        self._next()
        return found

    def _table(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.lines[id(found)] = self.line_number()
        while self._peek() != "}":
            key = self.value()
            if self._next()[1] != ":":
                raise self._fault("a colon is missing")
            found[str(key)] = self.value()
            if self._peek() == ",":
                self._next()
            elif self._peek() != "}":
                raise self._fault("a comma or } is missing")
        self._next()
        return found

    def _peek_is_type(self) -> bool:
        """A bare word, such as the type in `Array[String]`."""
        token = _TOKEN.match(self._text, self.position)
        if token is None or token.lastgroup != "word" or token["word"] in _WORDS:
            return False
        if self._text[token.end() : token.end() + 1] in ("(", "["):
            return False
        self.position = token.end()
        return True

    def _peek(self) -> str:
        token = _TOKEN.match(self._text, self.position)
        return token[0].strip() if token is not None else ""

    def _next(self) -> tuple[str, str]:
        token = _TOKEN.match(self._text, self.position)
        if token is None:
            raise self._fault("a value is missing or a text is not closed")
        self.position = token.end()
        return str(token.lastgroup), token[0].strip()

    def _fault(self, message: str) -> Exception:
        return fault(self._path, self.line_number(), message, "Save the resource in Godot again")


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] in "uU" and len(code) > 1 else _ESCAPES.get(code, code)

    return _ESCAPED.sub(character, text)
