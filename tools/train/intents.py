"""What players say, and what NPCs answer: the intents that the files in `talk/` list.

An intent either asks for a fact (`about` names its kind), or asks for one that the NPC keeps to itself (`secret`), or
says that there is none of that kind (`lacking`), or needs no fact at all. `needed` lists the slots whose values the
answer must contain, `forbidden` those that it must not: they are what `tools.eval` looks for. Templates use the slots
of the fact, the NPC's own `name`, `role`, `place` and `mood`, and, for things that the NPC does not know, `new_item`,
`new_town`, `new_person`, `new_key`, `new_verb` and `new_thing`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TALK = Path(__file__).parent / "talk"


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of thing a player says, with the answers that fit it.

    Attributes:
        players, answers: templates.
        held_out_players: phrasings that only the evaluation uses; empty where it uses those of training.
        about, secret, lacking: kind of fact, see above.
        needed, forbidden: slots.
        any_fact: a fact of the kind is as good an answer as any other.
        after: the intent of the turn before, about another fact of the same kind.
        only_two: makes sense only where there are just two facts of the kind.
        action: what the answer does, a template too; "" for nothing.
        weight: how often it is drawn.
    """

    name: str
    players: tuple[str, ...]
    answers: tuple[str, ...]
    held_out_players: tuple[str, ...] = ()
    about: str | None = None
    secret: str | None = None
    lacking: str | None = None
    needed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    any_fact: bool = False
    after: str | None = None
    only_two: bool = False
    action: str = ""
    weight: float = 1.0


_LINES = ("players", "answers", "held_out_players")
_SLOTS = ("needed", "forbidden")


def _read_all() -> tuple[Intent, ...]:
    tables: dict[str, dict[str, Any]] = {}
    for path in sorted(TALK.glob("*.toml")):
        tables |= tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_intent(name, table, tables) for name, table in tables.items())


def _intent(name: str, table: dict[str, Any], tables: dict[str, dict[str, Any]]) -> Intent:
    table = dict(table)
    like = table.pop("players_of", None)
    if like is not None:
        table |= {key: tables[like][key] for key in ("players", "held_out_players") if key in tables[like]}
    for key in _LINES:
        if key in table:
            table[key] = tuple(line.strip() for line in table[key].strip().splitlines())
    for key in _SLOTS:
        if key in table:
            table[key] = tuple(table[key].split())
    return Intent(name, **table)


INTENTS = _read_all()
BY_NAME = {intent.name: intent for intent in INTENTS}
