"""What a game tells the sidecar of its characters and their world, and asks of their memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from runtime.checks import check_text
from runtime.memory import KEPT_TURNS, check_summary
from runtime.message import Message, require
from runtime.npc import MAX_FIELD_CHARS, Npc
from runtime.world import World

MAX_SAVE_CHARS = 1 << 20


@dataclass(frozen=True, slots=True)
class NpcPut(Message):
    """From now on there is this character, or it is another one; what was said to it so far stays."""

    type: ClassVar[str] = "npc.put"
    request: int
    npc: Npc

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        require(given, cls.type, "request", "npc")
        return cls(given["request"], Npc.from_mapping(given["npc"]))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, "npc": self.npc.to_mapping()}


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
class NpcSummary(Message):
    """What this text tells need not be told turn by turn any more: the turns before the last `keep` are dropped."""

    type: ClassVar[str] = "npc.summary"
    request: int
    id: str
    text: str
    keep: int = KEPT_TURNS

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        check_text("id", self.id, max_chars=MAX_FIELD_CHARS)
        check_summary(self.text, self.keep)


@dataclass(frozen=True, slots=True)
class WorldPut(Message):
    """This is how the world is now, for all of this client's characters."""

    type: ClassVar[str] = "world.put"
    request: int
    world: World

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        require(given, cls.type, "request", "world")
        return cls(given["request"], World.from_mapping(given["world"]))

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, "world": self.world.to_mapping()}
