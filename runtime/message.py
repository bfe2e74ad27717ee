"""What all messages of the protocol have in common, and the few numbers that both sides know."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import Any, ClassVar, Self, cast

from runtime.checks import check_int
from runtime.records import RecordError, record_from

PROTOCOL = 1
HOST = "127.0.0.1"
# How the line starts on which the sidecar tells where it listens; a JSON object follows.
READY = "PALAVER READY "
MAX_REQUEST = (1 << 63) - 1


class Message:
    """Base of all messages: frozen dataclasses whose fields are the map's, in the order in which they are sent.

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
        optional = {field.name for field in fields(cast(Any, cls)) if field.default is not MISSING}
        said = {name: value for name, value in given.items() if not (value is None and name in optional)}
        return record_from(cls, said, cls.type)

    def to_fields(self) -> dict[str, Any]:
        """The fields as plain data, without those that have their default; `from_fields` reads them back."""
        return said_of(self)


def said_of(record: Any) -> dict[str, Any]:
    """The fields of a dataclass as plain data, in their order, without those that have their default."""
    return {
        field.name: _plain(value)
        for field in fields(record)
        if (value := getattr(record, field.name)) != field.default or field.default is MISSING
    }


def require(given: Mapping[str, Any], kind: str, *names: str) -> None:
    """Raise RecordError unless a message of this kind says all of these."""
    for name in names:
        if name not in given:
            raise RecordError(f"{kind}.{name} is missing")


def _plain(value: Any) -> Any:
    if hasattr(value, "to_mapping"):
        return value.to_mapping()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
