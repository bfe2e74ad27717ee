"""What a game says to the sidecar; bindings/protocol/README.md tells of every field and its limits."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from runtime.checks import check_int, check_number, check_text
from runtime.frame_budget import MAX_BUDGET_MS, MAX_FPS, MIN_LOAD
from runtime.message import MAX_REQUEST, Message
from runtime.messages_ask import Ask, Choose, PromptGet
from runtime.messages_npc import NpcForget, NpcGet, NpcLoad, NpcPut, NpcSave, NpcSummary, WorldPut
from runtime.npc import MAX_FIELD_CHARS


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """A client's first message: the protocol it speaks, the sidecar's secret if it has one, and who it is."""

    type: ClassVar[str] = "hello"
    request: int
    protocol: int
    secret: str | None = None
    client: str | None = None

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        for name in ("secret", "client"):
            if (value := getattr(self, name)) is not None:
                check_text(name, value, max_chars=MAX_FIELD_CHARS)


@dataclass(frozen=True, slots=True)
class Ping(Message):
    """Is anybody there?"""

    type: ClassVar[str] = "ping"
    request: int


@dataclass(frozen=True, slots=True)
class Stats(Message):
    """How is the sidecar doing?"""

    type: ClassVar[str] = "stats"
    request: int


@dataclass(frozen=True, slots=True)
class Cancel(Message):
    """The client no longer wants the ask whose request id is `target`."""

    type: ClassVar[str] = "cancel"
    request: int
    target: int


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """A frame begins and gives compute `budget_ms`. It has no reply, so that a game may send one each frame."""

    type: ClassVar[str] = "tick"
    request: ClassVar[None] = None
    frame: int
    budget_ms: float

    def __post_init__(self) -> None:
        check_int("frame", self.frame, 0, MAX_REQUEST)
        check_number("budget_ms", self.budget_ms, 0.0, MAX_BUDGET_MS)


@dataclass(frozen=True, slots=True)
class Budget(Message):
    """Compute may take at most `max_load` of one core, spread over `fps` frames a second; ends ticking."""

    type: ClassVar[str] = "budget"
    request: int
    max_load: float
    fps: float = 60.0

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        check_number("max_load", self.max_load, MIN_LOAD, 1.0)
        check_number("fps", self.fps, 1.0, MAX_FPS)


@dataclass(frozen=True, slots=True)
class Bye(Message):
    """The sidecar shall end."""

    type: ClassVar[str] = "bye"
    request: int


ClientMessage = (
    Hello
    | Ping
    | Stats
    | NpcPut
    | NpcGet
    | NpcForget
    | NpcSave
    | NpcLoad
    | NpcSummary
    | WorldPut
    | Ask
    | Choose
    | PromptGet
    | Cancel
    | Tick
    | Budget
    | Bye
)
CLIENT_MESSAGES: dict[str, type[ClientMessage]] = {message.type: message for message in get_args(ClientMessage)}
