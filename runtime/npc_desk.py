"""The sidecar's side of what a game tells of its characters, asks of their memory, and wants to see of a prompt."""

from typing import get_args

from runtime.ask_desk import AskDesk
from runtime.clients import Clients
from runtime.errors import PalaverError
from runtime.messages import (
    ErrorReply,
    Message,
    NpcForget,
    NpcGet,
    NpcLoad,
    NpcPut,
    NpcReply,
    NpcSave,
    NpcSummary,
    Ok,
    PromptGet,
    PromptReply,
    Saved,
    WorldPut,
)
from runtime.saved_turns import read_save, save_text

NpcMessage = NpcPut | NpcGet | NpcForget | NpcSave | NpcLoad | NpcSummary | WorldPut | PromptGet
NPC_MESSAGES = get_args(NpcMessage)


class NpcDesk:
    """Answers at once, and ends the asks that a load or a forgotten character makes void.

    Args:
        clients: whose characters they are.
        asks: that are open.
    """

    def __init__(self, clients: Clients, asks: AskDesk) -> None:
        self._clients = clients
        self._asks = asks

    def replies(self, client: bytes, message: NpcMessage) -> tuple[Message, ...]:
        """What a client that has said hello gets. Raises RequestError and PalaverError, having changed nothing."""
        ended: list[int] = []
        match message:
            case NpcPut():
                self._clients.put(client, message.npc)
            case WorldPut():
                self._clients.put_world(client, message.world)
            case NpcGet():
                return (NpcReply(message.request, self._clients.known(client, message.id).npc),)
            case NpcSave():
                memory = self._clients.known(client, message.id).memory
                return (Saved(message.request, message.id, save_text(message.id, memory)),)
            case PromptGet():
                return (self._prompt(client, message),)
            case NpcSummary():
                memory = self._clients.known(client, message.id).memory
                self._clients.set_memory(client, message.id, memory.summarised(message.text, message.keep))
            case NpcLoad():
                npc_id, memory = read_save(message.data)
                self._clients.set_memory(client, npc_id, memory)
                ended = self._asks.cancel_npc(client, npc_id)
            case NpcForget():
                self._clients.forget(client, message.id)
                ended = self._asks.cancel_npc(client, message.id)
        return (Ok(message.request), *cancelled(ended))

    def _prompt(self, client: bytes, message: PromptGet) -> PromptReply:
        if self._asks.engine is None:
            raise PalaverError("the model is still being loaded", "Ask again when the state is ready", code="loading")
        wanted = self._asks.remembering(client, message.ask) if message.by_id else message.ask
        prompt = self._asks.engine.prompt(wanted)
        return PromptReply(message.request, prompt.text, len(prompt.ids), prompt.dropped)


def cancelled(requests: list[int]) -> list[ErrorReply]:
    """The ends of asks that were cancelled."""
    problem = PalaverError("the ask was cancelled", code="cancelled")
    return [ErrorReply.of(request, problem) for request in requests]
