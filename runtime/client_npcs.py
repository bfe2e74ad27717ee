"""A client's characters and what was said to them: what it gives to the game to save, and to a new sidecar to go on."""

from collections.abc import Iterator

from runtime.checks import MAX_TEXT_CHARS
from runtime.errors import RequestError
from runtime.npc import Npc
from runtime.saved_turns import MAX_TURNS, Turn, read_save, save_text


class ClientNpcs:
    """Personas and turns by the character's id."""

    def __init__(self) -> None:
        self._npcs: dict[str, Npc] = {}
        self._turns: dict[str, tuple[Turn, ...]] = {}

    def __iter__(self) -> Iterator[Npc]:
        return iter(list(self._npcs.values()))

    def put(self, npc: Npc) -> None:
        """A new character, or a new persona for one that keeps its turns."""
        self._npcs[npc.id] = npc
        self._turns.setdefault(npc.id, ())

    def get(self, npc_id: str) -> Npc:
        """A persona. Raises RequestError ("unknown-npc")."""
        if npc_id not in self._npcs:
            raise RequestError(f"there is no character {npc_id[:60]!r}", "Put it first", code="unknown-npc")
        return self._npcs[npc_id]

    def forget(self, npc_id: str) -> None:
        """Drop a character, if it is there."""
        self._npcs.pop(npc_id, None)
        self._turns.pop(npc_id, None)

    def turns(self, npc_id: str) -> tuple[Turn, ...]:
        """What was said, oldest first. Raises RequestError ("unknown-npc")."""
        self.get(npc_id)
        return self._turns[npc_id]

    def remember(self, npc_id: str, turn: Turn) -> None:
        """Add a turn to a character, if it is still there, as the sidecar does."""
        if npc_id in self._npcs:
            player_text, line = turn
            self._turns[npc_id] = (*self._turns[npc_id], (player_text, line[:MAX_TEXT_CHARS]))[-MAX_TURNS:]

    def save(self, npc_id: str) -> str:
        """The turns as text. Raises RequestError ("unknown-npc")."""
        return save_text(npc_id, self.turns(npc_id))

    def load(self, data: str) -> str:
        """Replace the turns of the character that a saved text names; returns its id. Raises RequestError."""
        npc_id, turns = read_save(data)
        self.get(npc_id)
        self._turns[npc_id] = turns
        return npc_id
