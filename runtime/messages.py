"""The protocol's messages: what a game and the sidecar say to each other, checked when they are built.

docs/protocol.md tells the fields, their limits and who sends what.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self, get_args

from runtime.checks import check_int
from runtime.draft import Draft
from runtime.errors import PalaverError
from runtime.line import Line
from runtime.npc import Npc
from runtime.records import RecordError, record_from
from runtime.request import AskRequest

PROTOCOL = 1
HOST = "127.0.0.1"
# How the line starts on which the sidecar tells that it is ready; a JSON object follows.
READY = "PALAVER READY "
MAX_REQUEST = (1 << 63) - 1
MAX_ERROR_CHARS = 2000

_ASK_FIELDS = (
    "text",
    "seed",
    "steps",
    "max_tokens",
    "history",
    "deadline_ms",
    "priority",
    "policy",
    "draft_every_ms",
    "stop_after_steps",
)


class Message:
    """Base of all messages: frozen dataclasses whose fields are the map's.

    All but `tick` have a request id that a reply repeats.
    """

    __slots__ = ()
    type: ClassVar[str]

    def __post_init__(self) -> None:
        for name in ("request", "target"):
            value = getattr(self, name, None)
            if value is not None:
                check_int(name, value, 0, MAX_REQUEST)

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        """Build the message from its decoded map; RequestError or RecordError names what is missing or wrong."""
        return record_from(cls, given, cls.type)

    def to_fields(self) -> dict[str, Any]:
        """The fields as plain data; `from_fields` reads them back."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]  # every subclass is a dataclass


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """A client's first message: the protocol it speaks."""

    type: ClassVar[str] = "hello"
    request: int
    protocol: int


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a client learns of the loaded model; `canvas_length` in tokens."""

    name: str
    canvas_length: int
    licence: str


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """Reply to hello: the sidecar's protocol and version, and its model."""

    type: ClassVar[str] = "welcome"
    request: int
    protocol: int
    version: str
    model: ModelFacts


@dataclass(frozen=True, slots=True)
class Ask(Message):
    """A line is wanted. In the map, the fields of `ask` stand beside `request`, and `npc` is a map of a persona."""

    type: ClassVar[str] = "ask"
    request: int
    ask: AskRequest

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        for name in ("request", "npc", "text"):
            if name not in given:
                raise RecordError(f"ask.{name} is missing")
        wanted = {name: given[name] for name in _ASK_FIELDS if name in given}
        return cls(given["request"], AskRequest(Npc.from_mapping(given["npc"]), **wanted))

    def to_fields(self) -> dict[str, Any]:
        wanted = {name: getattr(self.ask, name) for name in _ASK_FIELDS}
        return {"request": self.request, "npc": self.ask.npc.to_mapping(), **wanted}


@dataclass(frozen=True, slots=True)
class LineReply(Message):
    """The line that was asked for. In the map, the fields of `line` stand beside `request`."""

    type: ClassVar[str] = "line"
    request: int
    line: Line

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        return record_from(cls, {"request": given.get("request"), "line": given}, cls.type)

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, **self.line.to_mapping()}


@dataclass(frozen=True, slots=True)
class DraftReply(Message):
    """The line so far, for an ask with `draft_every_ms`; see `runtime.draft.Draft` for the fields."""

    type: ClassVar[str] = "draft"
    request: int
    text: str
    stable_chars: int
    steps_done: int
    steps_planned: int

    @classmethod
    def of(cls, request: int, draft: Draft) -> Self:
        """The message that tells of this draft."""
        return cls(request, draft.text, draft.stable_chars, draft.steps_done, draft.steps_planned)


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """A frame begins and gives compute `budget_ms`. It has no reply, so that a game may send one each frame."""

    type: ClassVar[str] = "tick"
    request: ClassVar[None] = None
    frame: int
    budget_ms: float


@dataclass(frozen=True, slots=True)
class Pace(Message):
    """Compute may take at most `max_load` of one core, spread over `fps` frames a second; ends ticking."""

    type: ClassVar[str] = "pace"
    request: int
    max_load: float
    fps: float = 60.0


@dataclass(frozen=True, slots=True)
class Paced(Message):
    """Reply to pace."""

    type: ClassVar[str] = "paced"
    request: int


@dataclass(frozen=True, slots=True)
class Cancel(Message):
    """The client no longer wants the ask whose request id is `target`."""

    type: ClassVar[str] = "cancel"
    request: int
    target: int


@dataclass(frozen=True, slots=True)
class Cancelled(Message):
    """Reply to cancel: whether the ask was still open. If it was, it ends with an error of code "cancelled"."""

    type: ClassVar[str] = "cancelled"
    request: int
    target: int
    found: bool


@dataclass(frozen=True, slots=True)
class Ping(Message):
    """Is anybody there?"""

    type: ClassVar[str] = "ping"
    request: int


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """Reply to ping."""

    type: ClassVar[str] = "pong"
    request: int


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


AnyMessage = (
    Hello | Welcome | Ask | DraftReply | LineReply | Tick | Pace | Paced | Cancel | Cancelled | Ping | Pong | ErrorReply
)
MESSAGES: dict[str, type[AnyMessage]] = {message.type: message for message in get_args(AnyMessage)}


def _sendable(text: str) -> str:
    """Text cut to a bounded length, with whatever is not valid Unicode (odd file names) replaced."""
    return text[:MAX_ERROR_CHARS].encode("utf-8", "replace").decode("utf-8")
