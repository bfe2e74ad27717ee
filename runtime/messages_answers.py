"""What the sidecar answers with what the model made: drafts, lines, choices, and the prompts that it reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from runtime.choice import Choice
from runtime.draft import Draft
from runtime.line import Line
from runtime.message import Message, said_of
from runtime.records import record_from


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
class LineReply(Message):
    """The line that was asked for. In the map, the fields of `line` stand beside `request`."""

    type: ClassVar[str] = "line"
    request: int
    line: Line

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        # A line without an action may say so, or say nothing.
        said = {name: value for name, value in given.items() if value is not None}
        return record_from(cls, {"request": given.get("request"), "line": said}, cls.type)

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, **said_of(self.line)}


@dataclass(frozen=True, slots=True)
class ChoiceReply(Message):
    """The answer that was chosen. In the map, the fields of `choice` stand beside `request`."""

    type: ClassVar[str] = "choice"
    request: int
    choice: Choice

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        return record_from(cls, {"request": given.get("request"), "choice": given}, cls.type)

    def to_fields(self) -> dict[str, Any]:
        return {"request": self.request, **said_of(self.choice)}


@dataclass(frozen=True, slots=True)
class PromptReply(Message):
    """What the model would read.

    Attributes:
        text: the whole prompt, chat template and all.
        tokens: how many it is made of.
        dropped: what did not fit, in the order of the prompt.
    """

    type: ClassVar[str] = "prompt"
    request: int
    text: str
    tokens: int
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary(Message):
    """The sidecar's summariser has told a character's older turns; comes before the answer that needed the room.

    Attributes:
        request: that of the ask or the choose.
        id: of the character.
        text: the summary from now on.
        keep: how many of the last turns are still remembered word by word.
    """

    type: ClassVar[str] = "summary"
    request: int
    id: str
    text: str
    keep: int
