"""Messages as bytes: one msgpack map each, with a "type"; whatever comes in is checked here, once, at the edge.

Unknown fields are ignored, so that a newer peer may say more than an older one understands.
"""

from collections.abc import Iterable
from typing import Any

import msgpack

from runtime.errors import RequestError
from runtime.messages import MAX_REQUEST, MESSAGES, AnyMessage, Message
from runtime.records import RecordError

MAX_MESSAGE_BYTES = 1 << 20
# No message needs more in one list or map, and without a bound five bytes can claim a list of millions.
MAX_ELEMENTS = 1024
MAX_DEPTH = 16
MAX_VALUES = 16384


class MessageError(RequestError):
    """Bytes that are no valid message.

    Attributes:
        request: the message's request id where it could be read, else None.
    """

    def __init__(self, message: str, hint: str, *, code: str, request: int | None = None) -> None:
        super().__init__(message, hint, code=code)
        self.request = request


def encode(message: Message) -> bytes:
    """The message as one msgpack map. Raises RequestError when it would be larger than a peer accepts."""
    data: bytes = msgpack.packb({"type": message.type, **message.to_fields()})
    if len(data) > MAX_MESSAGE_BYTES:
        raise _too_large(len(data))
    return data


def decode(data: bytes) -> AnyMessage:
    """Read one message of either side.

    Raises:
        MessageError: whatever is wrong with the bytes; nothing else is ever raised.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise _too_large(len(data))
    try:
        given = msgpack.unpackb(
            data,
            max_array_len=MAX_ELEMENTS,
            max_map_len=MAX_ELEMENTS,
            max_bin_len=0,
            max_ext_len=0,
            ext_hook=_refuse_ext,
            object_pairs_hook=_map_of,
        )
        _check_values(given)
    # msgpack's own errors are ValueErrors; its extension types and its pure Python form raise the other two.
    except (ValueError, TypeError, RecursionError) as error:
        raise MessageError(
            f"a message is not valid msgpack ({error or type(error).__name__})",
            "Send one map a message, of nothing but nil, booleans, numbers, strings, lists and maps",
            code="malformed-message",
        ) from error
    if not isinstance(given, dict):
        raise MessageError(
            "a message must be a map", "Send one msgpack map with a type and a request", code="malformed-message"
        )
    return _message_from(given)


def _map_of(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise ValueError("a map's key is not a string")
        if key in given:
            raise ValueError(f"a map has the key {key[:40]!r} twice")
        given[key] = value
    return given


def _refuse_ext(code: int, data: bytes) -> object:
    raise ValueError(f"extension type {code}")


def _check_values(given: object) -> None:
    """Raise ValueError for byte strings, and for what is nested too deep or has too many values to look at all."""
    level, seen = [given], 0
    for depth in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for value in level:
            if isinstance(value, bytes):
                raise ValueError("a byte string")
            if isinstance(value, (dict, list)):
                if depth == MAX_DEPTH:
                    raise ValueError(f"lists and maps are nested more than {MAX_DEPTH} deep")
                inner.extend(value.values() if isinstance(value, dict) else value)
            if seen + len(inner) > MAX_VALUES:
                raise ValueError(f"more than {MAX_VALUES} values")
        level, seen = inner, seen + len(inner)


def _message_from(given: dict[str, Any]) -> AnyMessage:
    request = given.get("request")
    known = request if type(request) is int and 0 <= request <= MAX_REQUEST else None
    name = given.get("type")
    kind = MESSAGES.get(name) if isinstance(name, str) else None
    if kind is None:
        shown = repr(name[:40]) if isinstance(name, str) else "missing or no text"
        raise MessageError(
            f"the message's type is {shown}", f"Known: {', '.join(MESSAGES)}", code="unknown-type", request=known
        )
    try:
        return kind.from_fields(given)
    except RecordError as error:
        raise MessageError(
            str(error), "The protocol's README tells of every field", code="bad-request", request=known
        ) from error
    except RequestError as error:
        raise MessageError(error.message, error.hint, code=error.code, request=known) from error


def _too_large(size: int) -> MessageError:
    return MessageError(
        f"a message has {size} bytes, at most {MAX_MESSAGE_BYTES} are allowed",
        "Shorten the knowledge, the history or the text",
        code="message-too-large",
    )
