"""Personas: who speaks, what they know, what they keep to themselves, and what they may say and do."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from runtime.actions import parse_actions
from runtime.checks import check_int, check_text, check_texts
from runtime.data_file import read_data_file
from runtime.errors import RequestError

MAX_FIELD_CHARS = 200
MAX_FACT_CHARS = 1000
MAX_FACTS = 256
MAX_SECRETS = 64
MAX_NAMES = 256
MAX_ACTIONS = 32
MAX_FALLBACKS = 64
MAX_SITUATIONS = 32
MAX_BANNED = 256
SENTENCES = (1, 20)
LINE_CHARS = (20, 2000)

_LISTS = (
    ("knowledge", "facts", MAX_FACTS, MAX_FACT_CHARS),
    ("secrets", "facts", MAX_SECRETS, MAX_FACT_CHARS),
    ("names", "names", MAX_NAMES, MAX_FIELD_CHARS),
    ("actions", "declarations", MAX_ACTIONS, MAX_FACT_CHARS),
    ("fallbacks", "lines", MAX_FALLBACKS, MAX_FACT_CHARS),
    ("banned", "words", MAX_BANNED, MAX_FIELD_CHARS),
)


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
        language: what they speak ("English"); empty to leave it to the model.
        knowledge: facts, one sentence each; the character may state these and nothing else.
        secrets: facts that the character acts on but never tells; a line that would tell one is not said.
        names: proper names that the character may use though no fact holds them; never shown to the model.
        actions: what a line may carry out, as declarations: "open_gate()", "give(item: iron kettle|oak shield)".
        fallbacks: lines to say when the model has none in time; never shown to the model.
        situations: fallback lines by situation, for asks that name one; kept as a dict of tuples, not to be changed.
        banned: words or phrases that the character never says; never shown to the model.
        max_sentences: most sentences of a line, 1 to 20; None for no limit.
        max_chars: most characters of a line, 20 to 2000; None for no limit.

    Raises:
        RequestError: a field of the wrong type, an empty id, name or role, text that is too long, or actions that
            cannot be read or allow more than 64 calls.
    """

    id: str
    name: str
    role: str
    place: str = ""
    mood: str = ""
    manner: str = ""
    language: str = ""
    knowledge: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    situations: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    banned: tuple[str, ...] = ()
    max_sentences: int | None = None
    max_chars: int | None = None

    def __post_init__(self) -> None:
        for key in ("id", "name", "role"):
            check_text(f"npc.{key}", getattr(self, key), max_chars=MAX_FIELD_CHARS)
        for key in ("place", "mood", "manner", "language"):
            check_text(f"npc.{key}", getattr(self, key), max_chars=MAX_FIELD_CHARS, may_be_empty=True)
        for key, what, max_count, max_chars in _LISTS:
            check_texts(f"npc.{key}", getattr(self, key), what=what, max_count=max_count, max_chars=max_chars)
        parse_actions(self.actions)
        object.__setattr__(self, "situations", _checked_situations(self.situations))
        for key, limits in (("max_sentences", SENTENCES), ("max_chars", LINE_CHARS)):
            if getattr(self, key) is not None:
                check_int(f"npc.{key}", getattr(self, key), *limits)

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
        lists = {key for key, *_ in _LISTS}
        values: dict[str, Any] = {
            key: tuple(value) if key in lists and isinstance(value, list) else value
            for key, value in mapping.items()
            if value is not None
        }
        return cls(**values)

    @classmethod
    def from_file(cls, path: Path | str) -> Self:
        """Read a persona from a TOML or JSON file; RequestError names the file when it holds none."""
        return read_data_file(path, cls.from_mapping)

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for a message or a file, without what is empty; `from_mapping` reads it back."""
        said: dict[str, Any] = {}
        for about in fields(self):
            value = getattr(self, about.name)
            if about.default is MISSING or value != about.default:
                said[about.name] = list(value) if isinstance(value, tuple) else value
        said["situations"] = {name: list(lines) for name, lines in self.situations.items()}
        if not self.situations:
            del said["situations"]
        return said


def _checked_situations(situations: object) -> dict[str, tuple[str, ...]]:
    """Lines by situation as tuples, whichever mapping and lists they came in."""
    if not isinstance(situations, Mapping):
        raise RequestError(
            f"npc.situations must be a table, not {type(situations).__name__}", 'Write situations.busy = ["...", "..."]'
        )
    if len(situations) > MAX_SITUATIONS:
        raise RequestError(
            f"npc.situations has {len(situations)} situations, at most {MAX_SITUATIONS} are allowed", "Leave some out"
        )
    checked = {}
    for name, given in situations.items():
        check_text("a name in npc.situations", name, max_chars=MAX_FIELD_CHARS)
        lines = tuple(given) if isinstance(given, list) else given
        label = f"npc.situations.{name[:60]}"
        check_texts(label, lines, what="lines", max_count=MAX_FALLBACKS, max_chars=MAX_FACT_CHARS)
        checked[name] = lines
    return checked


_ALLOWED = ", ".join(field.name for field in fields(Npc))
