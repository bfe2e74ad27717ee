"""Personas: who speaks, and what they know."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from runtime.checks import check_text, check_texts
from runtime.errors import RequestError

MAX_FIELD_CHARS = 200
MAX_FACT_CHARS = 1000
MAX_FACTS = 256
MAX_FALLBACKS = 64
MAX_BANNED = 256

_LISTS = ("knowledge", "fallbacks", "banned")


@dataclass(frozen=True, slots=True)
class Npc:
    """One character.

    Attributes:
        id: the game's own name for the character; never shown to the model.
        name: what the character is called.
        role: what the character is, in lower case ("blacksmith").
        place: where they belong ("Oakvale"); empty if nowhere.
        mood: one word or a few ("tired"); empty for none.
        manner: how they speak ("gruff"); empty for none.
        knowledge: facts, one sentence each; the character may state these and nothing else.
        fallbacks: lines to say when the model has none in time; never shown to the model.
        banned: words or phrases that the character never says; never shown to the model.

    Raises:
        RequestError: a field of the wrong type, an empty id, name or role, text that is too long.
    """

    id: str
    name: str
    role: str
    place: str = ""
    mood: str = ""
    manner: str = ""
    knowledge: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    banned: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in ("id", "name", "role"):
            check_text(f"npc.{key}", getattr(self, key), max_chars=MAX_FIELD_CHARS)
        for key in ("place", "mood", "manner"):
            check_text(f"npc.{key}", getattr(self, key), max_chars=MAX_FIELD_CHARS, may_be_empty=True)
        check_texts("npc.knowledge", self.knowledge, what="facts", max_count=MAX_FACTS, max_chars=MAX_FACT_CHARS)
        check_texts("npc.fallbacks", self.fallbacks, what="lines", max_count=MAX_FALLBACKS, max_chars=MAX_FACT_CHARS)
        check_texts("npc.banned", self.banned, what="words", max_count=MAX_BANNED, max_chars=MAX_FIELD_CHARS)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Build a persona from plain data (TOML, JSON, a message); unknown and missing keys raise RequestError.

        None counts as left out.
        """
        if not isinstance(mapping, Mapping):
            raise RequestError(f"npc must be a table, not {type(mapping).__name__}", f"Allowed keys: {_ALLOWED}")
        allowed = {field.name for field in fields(cls)}
        for key in mapping:
            if key not in allowed:
                raise RequestError(f"npc has an unknown key {str(key)[:60]!r}", f"Allowed keys: {_ALLOWED}")
        for key in ("id", "name", "role"):
            if mapping.get(key) is None:
                raise RequestError(f"npc.{key} is missing", f"Allowed keys: {_ALLOWED}")
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in mapping.items()
            if value is not None
        }
        return cls(**values)

    @classmethod
    def from_toml(cls, path: Path | str) -> Self:
        """Read a persona from a TOML file; RequestError names the file when it cannot be read or is not a persona."""
        path = Path(path)
        try:
            mapping = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise RequestError(f"{path} cannot be read ({reason})", "Check the path of the NPC file") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RequestError(f"{path} is not valid TOML: {error}", "Correct the file; save it as UTF-8") from error
        try:
            return cls.from_mapping(mapping)
        except RequestError as error:
            raise RequestError(f"{path}: {error.message}", error.hint, code=error.code) from error

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for a message or a file; `from_mapping` reads it back."""
        return asdict(self) | {key: list(getattr(self, key)) for key in _LISTS}


_ALLOWED = ", ".join(field.name for field in fields(Npc))
