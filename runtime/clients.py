"""Who has said hello, and which characters each of them has: personas, and the turns that are remembered."""

import contextlib
from dataclasses import dataclass

from runtime.checks import MAX_TEXT_CHARS
from runtime.errors import RequestError
from runtime.npc import Npc
from runtime.saved_turns import MAX_TURNS, Turn

MAX_CLIENTS = 1024
MAX_NPCS = 256
"""Characters of one client."""

MAX_REMEMBERED_CHARS = 1 << 24
"""Of all personas and turns together. A game needs a thousandth of it; who floods the sidecar finds an end."""


@dataclass(frozen=True, slots=True)
class KnownNpc:
    """A character of a client, and its turns, oldest first."""

    npc: Npc
    turns: tuple[Turn, ...] = ()

    @property
    def size(self) -> int:
        """Characters of text in it."""
        npc = self.npc
        lists = (npc.knowledge, npc.fallbacks, npc.banned, *self.turns)
        fields = (npc.id, npc.name, npc.role, npc.place, npc.mood, npc.manner)
        return sum(map(len, fields)) + sum(len(text) for texts in lists for text in texts)


class Clients:
    """The clients by their routing id, those who were heard last at the end."""

    def __init__(self) -> None:
        self._npcs: dict[bytes, dict[str, KnownNpc]] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._npcs)

    def __contains__(self, client: bytes) -> bool:
        return client in self._npcs

    @property
    def npcs(self) -> int:
        """Characters of all clients."""
        return sum(map(len, self._npcs.values()))

    def greet(self, client: bytes) -> None:
        """A client said hello; the one that was silent for longest makes room if need be."""
        self._npcs[client] = self._npcs.pop(client, {})
        if len(self._npcs) > MAX_CLIENTS:
            self.drop(next(iter(self._npcs)))

    def require(self, client: bytes) -> None:
        """Note that a client was heard; RequestError if it has not said hello."""
        if client not in self._npcs:
            raise RequestError("this client has not said hello", "Send hello first", code="hello-first")
        self._npcs[client] = self._npcs.pop(client)

    def drop(self, client: bytes) -> None:
        """Forget a client and its characters, if it is known."""
        self._size -= sum(known.size for known in self._npcs.pop(client, {}).values())

    def find(self, client: bytes, npc_id: str) -> KnownNpc | None:
        """A client's character, if both are known."""
        return self._npcs.get(client, {}).get(npc_id)

    def known(self, client: bytes, npc_id: str) -> KnownNpc:
        """A client's character. Raises RequestError ("unknown-npc")."""
        known = self.find(client, npc_id)
        if known is None:
            raise RequestError(
                f"this client has put no character {npc_id[:60]!r}", "Send npc.put first", code="unknown-npc"
            )
        return known

    def put(self, client: bytes, npc: Npc) -> None:
        """Make a character known, or replace its persona and keep its turns.

        Raises:
            RequestError: the client has too many, or too large ones ("too-many-npcs").
        """
        mine = self._npcs[client]
        before = mine.get(npc.id)
        if before is None and len(mine) >= MAX_NPCS:
            raise RequestError(
                f"this client has {MAX_NPCS} characters, no more are taken", "Forget one first", code="too-many-npcs"
            )
        self._set(client, KnownNpc(npc, () if before is None else before.turns))

    def replace_turns(self, client: bytes, npc_id: str, turns: tuple[Turn, ...]) -> None:
        """Let a character's turns be these. Raises RequestError ("unknown-npc", "too-many-npcs")."""
        self._set(client, KnownNpc(self.known(client, npc_id).npc, turns))

    def remember(self, client: bytes, npc_id: str, turn: Turn) -> None:
        """Add a turn to a character, if it is still there and there is room for it."""
        known = self.find(client, npc_id)
        if known is not None:
            player_text, line = turn
            turns = (*known.turns, (player_text, line[:MAX_TEXT_CHARS]))
            with contextlib.suppress(RequestError):
                self._set(client, KnownNpc(known.npc, turns[-MAX_TURNS:]))

    def forget(self, client: bytes, npc_id: str) -> None:
        """Drop a character with its turns. Raises RequestError ("unknown-npc")."""
        self._size -= self.known(client, npc_id).size
        del self._npcs[client][npc_id]

    def _set(self, client: bytes, known: KnownNpc) -> None:
        mine = self._npcs[client]
        before = mine.get(known.npc.id)
        grows = known.size - (0 if before is None else before.size)
        if self._size + grows > MAX_REMEMBERED_CHARS:
            self._make_room(client, grows)
        mine[known.npc.id] = known
        self._size += grows

    def _make_room(self, client: bytes, chars: int) -> None:
        """Drop other clients, the one that was silent for longest first."""
        for other in [other for other in self._npcs if other != client]:
            if self._size + chars <= MAX_REMEMBERED_CHARS:
                return
            self.drop(other)
        if self._size + chars > MAX_REMEMBERED_CHARS:
            raise RequestError(
                f"this client's characters have more than {MAX_REMEMBERED_CHARS} characters of text",
                "Forget some of them",
                code="too-many-npcs",
            )
