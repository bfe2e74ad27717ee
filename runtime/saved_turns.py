"""A character's memory as text for a game's saved state, and back: ids and what was said, never a persona."""

import json
from typing import Any

from runtime.checks import MAX_TEXT_CHARS, check_text
from runtime.errors import RequestError
from runtime.memory import MAX_SUMMARY_CHARS, MAX_TURNS, Memory, Turn
from runtime.npc import MAX_FIELD_CHARS

SAVE_VERSION = 2
# The first version had no summary.
_READ_VERSIONS = (1, SAVE_VERSION)


def save_text(npc_id: str, memory: Memory) -> str:
    """The memory of a character as JSON text; `read_save` reads it back."""
    save = {"palaver_save": SAVE_VERSION, "npc": npc_id, "summary": memory.summary, "turns": memory.turns}
    return json.dumps(save, ensure_ascii=False)


def read_save(data: str) -> tuple[str, Memory]:
    """Id of the character, and what it remembers; of more than MAX_TURNS turns the last ones.

    Raises:
        RequestError: the text is of another version ("save-version"), or nothing that `save_text` made ("bad-save").
    """
    try:
        save = json.loads(data)
    # A deep nest of brackets ends in the other error.
    except (ValueError, RecursionError) as error:
        raise _bad_save(f"it is not valid JSON ({error})") from error
    version = save.get("palaver_save") if isinstance(save, dict) else None
    if isinstance(version, bool) or not isinstance(version, int):
        raise _bad_save('it has no whole number as "palaver_save"')
    if version not in _READ_VERSIONS:
        raise RequestError(
            f"the saved turns have version {version}, this Palaver reads versions 1 to {SAVE_VERSION}",
            "Load them with the version of Palaver that saved them, or forget them",
            code="save-version",
        )
    turns = save.get("turns")
    if not isinstance(turns, list):
        raise _bad_save('its "turns" are no list')
    try:
        npc_id = check_text("npc", save.get("npc"), max_chars=MAX_FIELD_CHARS)
        summary = check_text("summary", save.get("summary", ""), max_chars=MAX_SUMMARY_CHARS, may_be_empty=True)
        return npc_id, Memory(tuple(_turn(number, turn) for number, turn in enumerate(turns))[-MAX_TURNS:], summary)
    except RequestError as error:
        raise _bad_save(error.message) from error


def _turn(number: int, turn: Any) -> Turn:
    if not isinstance(turn, list) or len(turn) != 2:
        raise RequestError(f"turns[{number}] is not a pair")
    player_text = check_text(f"turns[{number}][0]", turn[0], max_chars=MAX_TEXT_CHARS)
    return player_text, check_text(f"turns[{number}][1]", turn[1], max_chars=MAX_TEXT_CHARS, may_be_empty=True)


def _bad_save(problem: str) -> RequestError:
    return RequestError(
        f"the saved turns cannot be read: {problem}", "Give the text of npc.save as it was", code="bad-save"
    )
