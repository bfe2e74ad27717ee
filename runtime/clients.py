"""Who has said hello, and what each of them has told: its characters, what these remember, and its world."""

import contextlib
from dataclasses import dataclass, field, replace

from runtime.errors import RequestError
from runtime.memory import Memory
from runtime.npc import Npc
from runtime.world import NO_WORLD, World

MAX_CLIENTS = 1024
MAX_NPCS = 256
"""Characters of one client."""

MAX_REMEMBERED_CHARS = 1 << 24
"""Of all personas, worlds and memories together. A game needs a thousandth of it; who floods us finds an end."""


@dataclass(frozen=True, slots=True)
class KnownNpc:
    """A character of a client, and what it remembers."""

    npc: Npc
    memory: Memory = field(default_factory=Memory)

    @property
    def size(self) -> int:
        """Characters of text in it."""
        return self.memory.size + _size(self.npc.to_mapping())


@dataclass(slots=True)
class _Client:
    npcs: dict[str, KnownNpc] = field(default_factory=dict)
    world: World = NO_WORLD

    @property
    def size(self) -> int:
        return _size(self.world.to_mapping()) + sum(known.size for known in self.npcs.values())


class Clients:
    """The clients by their routing id, those who were heard last at the end."""

    def __init__(self) -> None:
        self._clients: dict[bytes, _Client] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._clients)

    def __contains__(self, client: bytes) -> bool:
        return client in self._clients

    @property
    def npcs(self) -> int:
        """Characters of all clients."""
        return sum(len(client.npcs) for client in self._clients.values())

    def greet(self, client: bytes) -> None:
        """A client said hello; the one that was silent for longest makes room if need be."""
        self._clients[client] = self._clients.pop(client, _Client())
        if len(self._clients) > MAX_CLIENTS:
            self.drop(next(iter(self._clients)))

    def require(self, client: bytes) -> None:
        """Note that a client was heard; RequestError if it has not said hello."""
        if client not in self._clients:
            raise RequestError("this client has not said hello", "Send hello first", code="hello-first")
        self._clients[client] = self._clients.pop(client)

    def drop(self, client: bytes) -> None:
        """Forget a client with all that it has told, if it is known."""
        self._size -= self._clients.pop(client, _Client()).size

    def find(self, client: bytes, npc_id: str) -> KnownNpc | None:
        """A client's character, if both are known."""
        return self._clients[client].npcs.get(npc_id) if client in self._clients else None

    def known(self, client: bytes, npc_id: str) -> KnownNpc:
        """A client's character. Raises RequestError ("unknown-npc")."""
        known = self.find(client, npc_id)
        if known is None:
            raise RequestError(
                f"this client has put no character {npc_id[:60]!r}", "Send npc.put first", code="unknown-npc"
            )
        return known

    def put(self, client: bytes, npc: Npc) -> None:
        """Make a character known, or replace its persona and keep its memory.

        Raises:
            RequestError: the client has too many, or too large ones ("too-many-npcs").
        """
        mine = self._clients[client].npcs
        before = mine.get(npc.id)
        if before is None and len(mine) >= MAX_NPCS:
            raise RequestError(
                f"this client has {MAX_NPCS} characters, no more are taken", "Forget one first", code="too-many-npcs"
            )
        self._set(client, KnownNpc(npc) if before is None else replace(before, npc=npc))

    def world(self, client: bytes) -> World:
        """What is true for all characters of a client."""
        return self._clients[client].world if client in self._clients else NO_WORLD

    def put_world(self, client: bytes, world: World) -> None:
        """Let this be what is true for all characters of a client. Raises RequestError ("too-many-npcs")."""
        mine = self._clients[client]
        self._grow(client, _size(world.to_mapping()) - _size(mine.world.to_mapping()))
        mine.world = world

    def set_memory(self, client: bytes, npc_id: str, memory: Memory) -> None:
        """Let this be what a character remembers. Raises RequestError ("unknown-npc", "too-many-npcs")."""
        self._set(client, replace(self.known(client, npc_id), memory=memory))

    def remember(self, client: bytes, npc_id: str, memory: Memory) -> bool:
        """The same, after a line: without a word if the character is gone or there is no room; whether it is so."""
        with contextlib.suppress(RequestError):
            self.set_memory(client, npc_id, memory)
            return True
        return False

    def forget(self, client: bytes, npc_id: str) -> None:
        """Drop a character with its memory. Raises RequestError ("unknown-npc")."""
        self._size -= self.known(client, npc_id).size
        del self._clients[client].npcs[npc_id]

    def _set(self, client: bytes, known: KnownNpc) -> None:
        mine = self._clients[client].npcs
        before = mine.get(known.npc.id)
        self._grow(client, known.size - (0 if before is None else before.size))
        mine[known.npc.id] = known

    def _grow(self, client: bytes, chars: int) -> None:
        """Count in what a client tells; others make room, the one that was silent for longest first."""
        for other in [other for other in self._clients if other != client]:
            if self._size + chars <= MAX_REMEMBERED_CHARS:
                break
            self.drop(other)
        if self._size + chars > MAX_REMEMBERED_CHARS:
            raise RequestError(
                f"this client's characters and world have more than {MAX_REMEMBERED_CHARS} characters of text",
                "Forget some of them",
                code="too-many-npcs",
            )
        self._size += chars


def _size(told: object) -> int:
    """Characters of text in plain data."""
    if isinstance(told, dict):
        return sum(map(_size, told)) + sum(map(_size, told.values()))
    if isinstance(told, list):
        return sum(map(_size, told))
    return len(told) if isinstance(told, str) else 0
