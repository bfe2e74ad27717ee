"""A client's characters and what they remember: what it gives to the game to save, and to a new sidecar to go on."""

from collections.abc import Iterator

from runtime.errors import RequestError
from runtime.memory import Memory, Turn
from runtime.messages import NpcSummary
from runtime.npc import Npc
from runtime.saved_turns import read_save, save_text
from runtime.world import NO_WORLD


class ClientNpcs:
    """Personas and memories by the character's id, and the world that they live in.

    Attributes:
        world: the last word on it.
    """

    def __init__(self) -> None:
        self.world = NO_WORLD
        self._npcs: dict[str, Npc] = {}
        self._memories: dict[str, Memory] = {}
        # The game's own, which the sidecar has not confirmed: lines may be on their way that it remembered before.
        self._summaries: dict[int, NpcSummary] = {}

    def __iter__(self) -> Iterator[Npc]:
        return iter(list(self._npcs.values()))

    def put(self, npc: Npc) -> None:
        """A new character, or a new persona for one that keeps its memory."""
        self._npcs[npc.id] = npc
        self._memories.setdefault(npc.id, Memory())

    def get(self, npc_id: str) -> Npc:
        """A persona. Raises RequestError ("unknown-npc")."""
        if npc_id not in self._npcs:
            raise RequestError(f"there is no character {npc_id[:60]!r}", "Put it first", code="unknown-npc")
        return self._npcs[npc_id]

    def forget(self, npc_id: str) -> None:
        """Drop a character, if it is there."""
        self._npcs.pop(npc_id, None)
        self._memories.pop(npc_id, None)
        self._drop_summaries(npc_id)

    def memory(self, npc_id: str) -> Memory:
        """What a character remembers. Raises RequestError ("unknown-npc")."""
        self.get(npc_id)
        return self._memories[npc_id]

    def remember(self, npc_id: str, turn: Turn) -> None:
        """Add a turn to a character, if it is still there, as the sidecar does."""
        if npc_id in self._npcs:
            self._memories[npc_id] = self._memories[npc_id].with_turn(turn)

    def summarise(self, npc_id: str, text: str, keep: int) -> None:
        """Let a summary stand for all but the last turns of a character, if it is still there."""
        if npc_id in self._npcs:
            self._memories[npc_id] = self._memories[npc_id].summarised(text, keep)

    def expect(self, summary: NpcSummary) -> None:
        """The game's summary is on its way to the sidecar."""
        self._summaries[summary.request] = summary

    def settle(self, request: int | None, *, taken: bool) -> None:
        """The sidecar has answered this request: if it was a summary, that counts from now on, or not at all."""
        summary = None if request is None else self._summaries.pop(request, None)
        if summary is not None and taken:
            self.summarise(summary.id, summary.text, summary.keep)

    def settle_all(self) -> None:
        """Nobody will confirm what is on its way: the next sidecar is told the outcome."""
        for request in list(self._summaries):
            self.settle(request, taken=True)

    def save(self, npc_id: str) -> str:
        """The memory as text. Raises RequestError ("unknown-npc")."""
        return save_text(npc_id, self.memory(npc_id))

    def load(self, data: str) -> str:
        """Replace the memory of the character that a saved text names; returns its id. Raises RequestError."""
        npc_id, memory = read_save(data)
        self.get(npc_id)
        self._memories[npc_id] = memory
        self._drop_summaries(npc_id)
        return npc_id

    def _drop_summaries(self, npc_id: str) -> None:
        self._summaries = {request: kept for request, kept in self._summaries.items() if kept.id != npc_id}
