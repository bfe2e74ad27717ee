"""What the sidecar says to a game; bindings/protocol/README.md tells of every field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

from runtime.errors import PalaverError
from runtime.message import Message, require
from runtime.messages_answers import ChoiceReply, DraftReply, LineReply, PromptReply, Summary
from runtime.npc import Npc

MAX_ERROR_CHARS = 2000

State = Literal["loading", "ready"]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a client learns of the model; `canvas_length` in tokens."""

    name: str
    canvas_length: int
    licence: str


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """Reply to hello: the sidecar's protocol and version, whether its model is loaded, and which one it is."""

    type: ClassVar[str] = "welcome"
    request: int
    protocol: int
    version: str
    state: State
    model: ModelFacts


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """Reply to ping."""

    type: ClassVar[str] = "pong"
    request: int


@dataclass(frozen=True, slots=True)
class Ok(Message):
    """It is done; reply to npc.put, npc.forget, npc.load, npc.summary, world.put, budget and bye."""

    type: ClassVar[str] = "ok"
    request: int


@dataclass(frozen=True, slots=True)
class NpcReply(Message):
    """Reply to npc.get: the persona."""

    type: ClassVar[str] = "npc"
    request: int
    npc: Npc

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        require(given, cls.type, "request", "npc")
        return cls(given["request"], Npc.from_mapping(given["npc"]))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, "npc": self.npc.to_mapping()}


@dataclass(frozen=True, slots=True)
class Saved(Message):
    """Reply to npc.save: text for the game's saved state."""

    type: ClassVar[str] = "saved"
    request: int
    id: str
    data: str


@dataclass(frozen=True, slots=True)
class Cancelled(Message):
    """Reply to cancel: whether the ask was still open. If it was, it ends with an error of code "cancelled"."""

    type: ClassVar[str] = "cancelled"
    request: int
    target: int
    found: bool


@dataclass(frozen=True, slots=True)
class Report(Message):
    """Reply to stats.

    Attributes:
        state: whether the model is loaded.
        load_progress: 0 to 1.
        uptime_s: since the process began.
        open_asks: asks and choices that have not ended, of all clients.
        clients: that have said hello and were not forgotten.
        npcs: characters of all clients.
        lines_model: lines sent so far that the model finished.
        lines_draft: lines sent so far that a deadline cut short.
        lines_fallback: lines sent so far that were written beforehand.
        errors: errors sent so far.
        memory_mb: resident memory of the process in 2**20 bytes; 0 where the system does not tell.
        step_ms: expected time of one whole denoising step; 0 if not known yet.
    """

    type: ClassVar[str] = "report"
    request: int
    state: State
    load_progress: float
    uptime_s: float
    open_asks: int
    clients: int
    npcs: int
    lines_model: int
    lines_draft: int
    lines_fallback: int
    errors: int
    memory_mb: float
    step_ms: float


@dataclass(frozen=True, slots=True)
class ErrorReply(Message):
    """Something did not work; ends the request that it names. `request` is None where it cannot name one."""

    type: ClassVar[str] = "error"
    request: int | None
    code: str
    message: str
    hint: str

    @classmethod
    def of(cls, request: int | None, error: PalaverError) -> Self:
        """The reply that tells of this error, in text that always fits a message."""
        return cls(request, error.code, _sendable(error.message), _sendable(error.hint))


SidecarMessage = (
    Welcome
    | Pong
    | Ok
    | NpcReply
    | Saved
    | Cancelled
    | Report
    | DraftReply
    | LineReply
    | Summary
    | ChoiceReply
    | PromptReply
    | ErrorReply
)
SIDECAR_MESSAGES: dict[str, type[SidecarMessage]] = {message.type: message for message in get_args(SidecarMessage)}


def _sendable(text: str) -> str:
    """Text cut to a bounded length, with whatever is not valid Unicode (odd file names) replaced."""
    return text[:MAX_ERROR_CHARS].encode("utf-8", "replace").decode("utf-8")
