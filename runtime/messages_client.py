"""What a game says to the sidecar; bindings/protocol/README.md tells of every field and its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, get_args

from runtime.checks import check_int, check_number, check_text
from runtime.frame_budget import MAX_BUDGET_MS, MAX_FPS, MIN_LOAD
from runtime.message import MAX_REQUEST, Message, said_of
from runtime.npc import MAX_FIELD_CHARS, Npc
from runtime.records import RecordError
from runtime.request import AskRequest

MAX_SAVE_CHARS = 1 << 20

_ASK_FIELDS = tuple(field.name for field in fields(AskRequest) if field.name != "npc")


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
class NpcPut(Message):
    """From now on there is this character, or it is another one; what was said to it so far stays."""

    type: ClassVar[str] = "npc.put"
    request: int
    npc: Npc

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        _require(given, cls.type, "request", "npc")
        return cls(given["request"], Npc.from_mapping(given["npc"]))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, "npc": said_of(self.npc)}


@dataclass(frozen=True, slots=True)
class _AboutNpc(Message):
    """Base of the messages that name a character."""

    request: int
    id: str

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        check_text("id", self.id, max_chars=MAX_FIELD_CHARS)


@dataclass(frozen=True, slots=True)
class NpcGet(_AboutNpc):
    """What does this character's persona say?"""

    type: ClassVar[str] = "npc.get"


@dataclass(frozen=True, slots=True)
class NpcForget(_AboutNpc):
    """This character is gone, with all that was said to it."""

    type: ClassVar[str] = "npc.forget"


@dataclass(frozen=True, slots=True)
class NpcSave(_AboutNpc):
    """What was said to and by this character, as text for the game's saved state?"""

    type: ClassVar[str] = "npc.save"


@dataclass(frozen=True, slots=True)
class NpcLoad(Message):
    """What was said to and by a character shall be as in this saved text."""

    type: ClassVar[str] = "npc.load"
    request: int
    data: str

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        check_text("data", self.data, max_chars=MAX_SAVE_CHARS)


@dataclass(frozen=True, slots=True)
class Ask(Message):
    """A line is wanted. In the map, the fields of `ask` stand beside `request`.

    Attributes:
        ask: what is wanted. In an ask by id that was read, its `npc` has that id and nothing else to go by.
        by_id: `npc` is the id of a character of npc.put: what it was told before counts, and this is remembered.
        record: remember this turn; for asks by id.
    """

    type: ClassVar[str] = "ask"
    request: int
    ask: AskRequest
    by_id: bool = False
    record: bool = True

    @classmethod
    def of_known(cls, request: int, npc_id: str, *, record: bool = True, **wanted: Any) -> Self:
        """An ask by id; `wanted` as of `AskRequest`."""
        return cls(request, AskRequest(Npc(npc_id, npc_id, npc_id), **wanted), by_id=True, record=record)

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        _require(given, cls.type, "request", "npc", "text")
        wanted = {name: given[name] for name in _ASK_FIELDS if given.get(name) is not None or name == "text"}
        record = True if given.get("record") is None else given["record"]
        if not isinstance(record, bool):
            raise RecordError("ask.record must be true or false")
        if not isinstance(given["npc"], str):
            return cls(given["request"], AskRequest(Npc.from_mapping(given["npc"]), **wanted), record=record)
        if wanted.get("history"):
            raise RecordError("ask.history cannot go with the id of an npc, whose turns are remembered")
        return cls.of_known(given["request"], given["npc"], record=record, **wanted)

    def to_fields(self) -> dict[str, Any]:
        wanted = said_of(self.ask)
        wanted["npc"] = self.ask.npc.id if self.by_id else said_of(self.ask.npc)
        return {"request": self.request, **wanted, **({} if self.record else {"record": False})}


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
    Hello | Ping | Stats | NpcPut | NpcGet | NpcForget | NpcSave | NpcLoad | Ask | Cancel | Tick | Budget | Bye
)
CLIENT_MESSAGES: dict[str, type[ClientMessage]] = {message.type: message for message in get_args(ClientMessage)}


def _require(given: Mapping[str, Any], kind: str, *names: str) -> None:
    for name in names:
        if name not in given:
            raise RecordError(f"{kind}.{name} is missing")
