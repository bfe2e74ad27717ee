"""The calls of a client about its characters: who they are, what they remember, and what is true around them."""

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.client_session import REPLY_TIMEOUT_S, ClientSession
from runtime.memory import KEPT_TURNS, Turn
from runtime.messages import NpcForget, NpcLoad, NpcPut, NpcSummary, Ok, PromptGet, PromptReply, WorldPut
from runtime.npc import Npc
from runtime.request import AskRequest, checked_world
from runtime.wire import encode
from runtime.world import NO_WORLD, World


class CharacterCalls:
    """Part of `PalaverClient`."""

    _session: ClientSession

    def put_npc(self, npc: Npc) -> None:
        """Let there be this character, or another persona for it; what was said to it so far stays.

        Raises:
            RequestError: the persona is larger than a message may be.
            PalaverError: the sidecar takes no more. While there is no connection the character is put later.
        """
        message = NpcPut(next(self._session.ids), npc)
        encode(message)
        self._session.npcs.put(npc)
        if self._session.ready:
            self._session.exchange(message, Ok, REPLY_TIMEOUT_S)

    def get_npc(self, npc_id: str) -> Npc:
        """A character's persona. Raises RequestError ("unknown-npc")."""
        return self._session.npcs.get(npc_id)

    def forget_npc(self, npc_id: str) -> None:
        """Drop a character and what it remembers; its open asks are cancelled. Raises RequestError ("unknown-npc")."""
        self._session.npcs.get(npc_id)
        self._session.asks.drop_npc(npc_id)
        self._session.npcs.forget(npc_id)
        self._session.link.send(NpcForget(next(self._session.ids), npc_id))

    def save_npc(self, npc_id: str) -> str:
        """What was said to and by a character, as text for a saved game. Raises RequestError ("unknown-npc")."""
        return self._session.npcs.save(npc_id)

    def load_npc(self, data: str) -> str:
        """Let what was said be as in this text of `save_npc`; the character's open asks are cancelled.

        Returns its id.

        Raises:
            RequestError: the text cannot be read ("bad-save", "save-version"), or is of a character that was not put
                ("unknown-npc"); nothing has changed then.
        """
        npc_id = self._session.npcs.load(data)
        self._session.asks.drop_npc(npc_id)
        self._session.link.send(NpcLoad(next(self._session.ids), data))
        return npc_id

    def put_world(self, world: World | Mapping[str, Any]) -> None:
        """Let this be what is true for all characters that are asked by id.

        Args:
            world: a World, or the plain data that `World.from_mapping` reads.

        Raises:
            RequestError: the world is outside its limits, or larger than a message may be.
        """
        world = checked_world(world)
        message = WorldPut(next(self._session.ids), world)
        encode(message)
        self._session.npcs.world = world
        if self._session.ready:
            self._session.link.send(message)

    def set_summary(self, npc_id: str, text: str, keep: int = KEPT_TURNS) -> None:
        """Let a summary stand for all but a character's last turns, a line that is on its way among them.

        Waits until the sidecar has said so, as `put_npc` does.

        Args:
            npc_id: of the character.
            text: what was said before, up to 4000 characters; empty for nothing.
            keep: turns that stay word by word, 0 to 16.

        Raises:
            RequestError: an argument is outside its limits, or there is no such character ("unknown-npc").
            PalaverError: the sidecar takes no more. While there is no connection it is told later.
        """
        self._session.npcs.get(npc_id)
        message = NpcSummary(next(self._session.ids), npc_id, text, keep)
        if self._session.ready:
            self._session.summarise(message, REPLY_TIMEOUT_S)
        else:
            self._session.npcs.summarise(npc_id, text, keep)

    def prompt(
        self,
        npc: Npc | str,
        text: str,
        *,
        history: Sequence[Turn] = (),
        world: World | Mapping[str, Any] = NO_WORLD,
        summary: str = "",
        timeout_s: float = REPLY_TIMEOUT_S,
    ) -> PromptReply:
        """What the model would read, were this asked now; for finding out why a character says what it says.

        Raises:
            RequestError: an argument is outside its limits, or there is no such character ("unknown-npc").
            PalaverError: the sidecar's error ("loading" while it has no model yet), or "timeout".
        """
        persona = self._session.npcs.get(npc) if isinstance(npc, str) else npc
        wanted = AskRequest(persona, text, history=history, world=world, summary=summary)
        message = PromptGet(next(self._session.ids), wanted, by_id=isinstance(npc, str))
        return self._session.exchange(message, PromptReply, timeout_s)
