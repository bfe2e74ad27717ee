"""Who the speakers of a script are."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from runtime.data_file import read_data_file
from runtime.errors import RequestError
from runtime.npc import Npc
from tools.train.script.sample import ScriptError
from tools.train.script.tres import read_sections

PLAIN_ROLE = "villager"
_SUFFIXES = (".toml", ".json", ".tres")


class Cast:
    """Personas by id and by name, in whatever case; whoever is not among them gets a plain one."""

    def __init__(self, personas: Iterable[Npc] = ()) -> None:
        self._known: dict[str, Npc] = {}
        for npc in personas:
            self._known |= {npc.id.casefold(): npc, npc.name.casefold(): npc}

    def persona(self, speaker: str) -> Npc:
        """Whoever goes by this name."""
        return self._known.get(speaker.casefold()) or Npc(id=speaker, name=speaker, role=PLAIN_ROLE)

    def knows(self, speaker: str) -> bool:
        """Whether there is more to tell of them than the name."""
        return speaker.casefold() in self._known


def read_cast(path: Path) -> Cast:
    """Personas from a TOML or JSON file with one or, under `persona`, several; or from a folder of such files.

    In a folder, resources of the Godot addon (`.tres`) count too.

    Raises:
        ScriptError: a file cannot be read or is no persona, or there is none; names the file.
    """
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in _SUFFIXES) if path.is_dir() else [path]
    try:
        personas = [npc for file in files for npc in _read(file)]
    except RequestError as error:
        raise ScriptError(error.message, error.hint) from error
    if not personas:
        raise ScriptError(f"{path} holds no persona", "Give a TOML file, or a folder of them")
    return Cast(personas)


def _read(file: Path) -> list[Npc]:
    if file.suffix.lower() == ".tres":
        return [_from_resource(file, properties) for properties, _ in read_sections(file) if "role" in properties]
    return read_data_file(file, _from_table)


def _from_table(table: Mapping[str, Any]) -> list[Npc]:
    several = table.get("persona")
    return [Npc.from_mapping(one) for one in (several if isinstance(several, list) else [table])]


def _from_resource(file: Path, properties: Mapping[str, Any]) -> Npc:
    known = {field.name for field in fields(Npc)}
    try:
        return Npc.from_mapping({key: value for key, value in properties.items() if key in known})
    except RequestError as error:
        raise RequestError(f"{file}: {error.message}", error.hint) from error
