"""What is true in the game right now, whoever is asked: facts in sections, each with its share of the prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from runtime.checks import check_int, check_text, check_texts
from runtime.data_file import read_data_file
from runtime.errors import RequestError
from runtime.npc import MAX_FACT_CHARS, MAX_FACTS, MAX_FIELD_CHARS

MAX_SECTIONS = 32
MAX_WORLD_FACTS = 512
"""Of all sections together: each is looked at whenever somebody is asked."""

MAX_BUDGET_TOKENS = 100_000

_EXAMPLE = 'Write {"time": ["It is evening."], "prices": {"facts": ["..."], "budget_tokens": 40}}'


_NAME = "the name of a world section"
_PERSONA_KEYS = ("id", "name", "role")


@dataclass(frozen=True, slots=True)
class WorldSection:
    """Facts of one kind.

    Attributes:
        name: the game's own ("prices"); never shown to the model.
        facts: one sentence each, up to 256 of 1000 characters.
        budget_tokens: most tokens of them in a prompt, 0 to 100000; None for the default.

    Raises:
        RequestError: naming the section, the value and its limits.
    """

    name: str
    facts: tuple[str, ...]
    budget_tokens: int | None = None

    def __post_init__(self) -> None:
        check_text(_NAME, self.name, max_chars=MAX_FIELD_CHARS)
        label = f"world.{self.name[:60]}"
        check_texts(f"{label}.facts", self.facts, what="facts", max_count=MAX_FACTS, max_chars=MAX_FACT_CHARS)
        if self.budget_tokens is not None:
            check_int(f"{label}.budget_tokens", self.budget_tokens, 0, MAX_BUDGET_TOKENS)


@dataclass(frozen=True, slots=True)
class World:
    """World facts, section by section in the order of the prompt: what changes least comes first, if the game is wise.

    Raises:
        RequestError: more than 32 sections or 512 facts, or two sections of one name.
    """

    sections: tuple[WorldSection, ...] = ()

    def __post_init__(self) -> None:
        if len(self.sections) > MAX_SECTIONS:
            raise RequestError(
                f"world has {len(self.sections)} sections, at most {MAX_SECTIONS} are allowed", "Leave some out"
            )
        count = sum(len(section.facts) for section in self.sections)
        if count > MAX_WORLD_FACTS:
            raise RequestError(f"world has {count} facts, at most {MAX_WORLD_FACTS} are allowed", "Leave some out")
        names = [section.name for section in self.sections]
        if len(set(names)) < len(names):
            raise RequestError("world has two sections of one name", "Put their facts together")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Build a world from plain data: name of a section to its facts, or to facts and budget_tokens.

        Raises:
            RequestError: naming the section, the value and its limits.
        """
        if not isinstance(mapping, Mapping):
            raise RequestError(f"world must be a table, not {type(mapping).__name__}", _EXAMPLE)
        if all(isinstance(mapping.get(key), str) for key in _PERSONA_KEYS):
            raise RequestError("world looks like a persona: it has id, name and role", _EXAMPLE)
        return cls(tuple(_section(name, given) for name, given in mapping.items()))

    @classmethod
    def from_file(cls, path: Path | str) -> Self:
        """Read world facts from a TOML or JSON file; RequestError names the file when it holds none."""
        return read_data_file(path, cls.from_mapping)

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for a message or a file; `from_mapping` reads it back."""
        return {
            section.name: list(section.facts)
            if section.budget_tokens is None
            else {"facts": list(section.facts), "budget_tokens": section.budget_tokens}
            for section in self.sections
        }


NO_WORLD = World()


def _section(name: object, given: object) -> WorldSection:
    name = check_text(_NAME, name, max_chars=MAX_FIELD_CHARS)
    said: Mapping[Any, Any] = given if isinstance(given, Mapping) else {"facts": given}
    unknown = [key for key in said if key not in ("facts", "budget_tokens")]
    if unknown:
        raise RequestError(
            f"world.{name[:60]} has an unknown key {str(unknown[0])[:60]!r}", "Allowed keys: facts, budget_tokens"
        )
    facts = said.get("facts", ())
    return WorldSection(name, tuple(facts) if isinstance(facts, list) else facts, said.get("budget_tokens"))
