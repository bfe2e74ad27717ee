"""What a game wants of the model: a line, a choice, or to see a prompt."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, cast

from runtime.choice import ChooseRequest
from runtime.errors import RequestError
from runtime.message import Message, require, said_of
from runtime.npc import Npc
from runtime.records import RecordError
from runtime.request import AskRequest
from runtime.world import World

_ASK_FIELDS = tuple(field.name for field in fields(AskRequest) if field.name != "npc")
_CHOOSE_FIELDS = tuple(field.name for field in fields(ChooseRequest) if field.name != "npc")
_PROMPT_FIELDS = ("text", "history", "world", "summary")


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

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_known(self.ask, self.by_id)

    @classmethod
    def of_known(cls, request: int, npc_id: str, *, record: bool = True, **wanted: Any) -> Self:
        """An ask by id; `wanted` as of `AskRequest`."""
        return cls(request, AskRequest(_named(npc_id), **wanted), by_id=True, record=record)

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        npc, wanted = _wanted(cls.type, given, _ASK_FIELDS, "text")
        record = True if given.get("record") is None else given["record"]
        if not isinstance(record, bool):
            raise RecordError("ask.record must be true or false")
        return cls(given["request"], AskRequest(npc, **wanted), by_id=isinstance(given["npc"], str), record=record)

    def to_fields(self) -> dict[str, Any]:
        record = {} if self.record else {"record": False}
        return {"request": self.request, **_said(self.ask, _ASK_FIELDS, self.by_id), **record}


@dataclass(frozen=True, slots=True)
class Choose(Message):
    """One of several answers is to be chosen. In the map, the fields of `choose` stand beside `request`.

    Attributes:
        choose: what is wanted; its `npc` as in `Ask`.
        by_id: `npc` is the id of a character of npc.put, and what it was told before counts.
    """

    type: ClassVar[str] = "choose"
    request: int
    choose: ChooseRequest
    by_id: bool = False

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_known(self.choose, self.by_id)

    @classmethod
    def of_known(cls, request: int, npc_id: str, **wanted: Any) -> Self:
        """A choice by id; `wanted` as of `ChooseRequest`."""
        return cls(request, ChooseRequest(_named(npc_id), **wanted), by_id=True)

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        npc, wanted = _wanted(cls.type, given, _CHOOSE_FIELDS, "text", "options")
        return cls(given["request"], ChooseRequest(npc, **wanted), by_id=isinstance(given["npc"], str))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, **_said(self.choose, _CHOOSE_FIELDS, self.by_id)}


@dataclass(frozen=True, slots=True)
class PromptGet(Message):
    """What would the model read, were this asked now?

    Attributes:
        ask: what would be asked; of its options only history, world and summary are sent.
        by_id: as in `Ask`.
    """

    type: ClassVar[str] = "prompt.get"
    request: int
    ask: AskRequest
    by_id: bool = False

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_known(self.ask, self.by_id)

    @classmethod
    def of_known(cls, request: int, npc_id: str, text: str) -> Self:
        """The prompt of an ask by id."""
        return cls(request, AskRequest(_named(npc_id), text), by_id=True)

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        npc, wanted = _wanted(cls.type, given, _PROMPT_FIELDS, "text")
        return cls(given["request"], AskRequest(npc, **wanted), by_id=isinstance(given["npc"], str))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, **_said(self.ask, _PROMPT_FIELDS, self.by_id)}


def _named(npc_id: str) -> Npc:
    """Stands for a character of which nothing but the id was said."""
    return Npc(npc_id, npc_id, npc_id)


def _wanted(kind: str, given: Mapping[str, Any], names: tuple[str, ...], *needed: str) -> tuple[Npc, dict[str, Any]]:
    """The persona, and the fields of a request about it; RecordError or RequestError names what is wrong."""
    require(given, kind, "request", "npc", *needed)
    wanted = {name: given[name] for name in names if given.get(name) is not None or name in needed}
    npc = given["npc"]
    return _named(npc) if isinstance(npc, str) else Npc.from_mapping(npc), wanted


def _check_known(wanted: AskRequest | ChooseRequest, by_id: bool) -> None:
    """Raise RequestError for what the sidecar knows by itself of a character that is named by its id."""
    if not by_id:
        return
    sections = cast(World, wanted.world).sections
    for name, known in (("history", wanted.history), ("world", sections), ("summary", wanted.summary)):
        if known:
            raise RequestError(
                f"{name} cannot go with the id of a character, of which that is known already",
                "Ask with its persona, or leave it out",
            )


def _said(wanted: AskRequest | ChooseRequest, names: tuple[str, ...], by_id: bool) -> dict[str, Any]:
    """`npc` and the named fields that do not have their default, in the order of the dataclass."""
    said = {name: value for name, value in said_of(wanted).items() if name in names}
    return {"npc": wanted.npc.id if by_id else wanted.npc.to_mapping(), **said}
