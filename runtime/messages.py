"""The protocol's messages, of both sides."""

from runtime.message import HOST, MAX_REQUEST, PROTOCOL, READY, Message
from runtime.messages_answers import ChoiceReply, DraftReply, LineReply, PromptReply, Summary
from runtime.messages_ask import Ask, Choose, PromptGet
from runtime.messages_client import (
    CLIENT_MESSAGES,
    Budget,
    Bye,
    Cancel,
    ClientMessage,
    Hello,
    Ping,
    Stats,
    Tick,
)
from runtime.messages_npc import NpcForget, NpcGet, NpcLoad, NpcPut, NpcSave, NpcSummary, WorldPut
from runtime.messages_sidecar import (
    MAX_ERROR_CHARS,
    SIDECAR_MESSAGES,
    Cancelled,
    ErrorReply,
    ModelFacts,
    NpcReply,
    Ok,
    Pong,
    Report,
    Saved,
    SidecarMessage,
    State,
    Welcome,
)

__all__ = [
    "CLIENT_MESSAGES",
    "HOST",
    "MAX_ERROR_CHARS",
    "MAX_REQUEST",
    "MESSAGES",
    "PROTOCOL",
    "READY",
    "SIDECAR_MESSAGES",
    "AnyMessage",
    "Ask",
    "Budget",
    "Bye",
    "Cancel",
    "Cancelled",
    "ChoiceReply",
    "Choose",
    "ClientMessage",
    "DraftReply",
    "ErrorReply",
    "Hello",
    "LineReply",
    "Message",
    "ModelFacts",
    "NpcForget",
    "NpcGet",
    "NpcLoad",
    "NpcPut",
    "NpcReply",
    "NpcSave",
    "NpcSummary",
    "Ok",
    "Ping",
    "Pong",
    "PromptGet",
    "PromptReply",
    "Report",
    "Saved",
    "SidecarMessage",
    "State",
    "Stats",
    "Summary",
    "Tick",
    "Welcome",
    "WorldPut",
]

AnyMessage = ClientMessage | SidecarMessage
MESSAGES: dict[str, type[AnyMessage]] = {**CLIENT_MESSAGES, **SIDECAR_MESSAGES}
