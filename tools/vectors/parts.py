"""Maps as bytes, right but for what a vector is about."""

from typing import Any

import msgpack

from runtime.messages import LineReply
from tools.vectors.valid import LINE_OF_THE_MODEL

LINE_FIELDS = {
    "type": "line",
    "request": 9,
    **msgpack.unpackb(msgpack.packb(LineReply(9, LINE_OF_THE_MODEL).to_fields())),
}


def map_of(**fields: Any) -> bytes:
    """A map of these fields."""
    data: bytes = msgpack.packb(fields)
    return data


def ask_of(**fields: Any) -> bytes:
    """An ask by id with these fields in place of, or beside, the right ones."""
    return map_of(**{"type": "ask", "request": 6, "npc": "smith", "text": "Hi", **fields})


def put_of(**fields: Any) -> bytes:
    """An npc.put whose persona has these fields in place of, or beside, the right ones."""
    return map_of(type="npc.put", request=6, npc={"id": "a", "name": "b", "role": "c", **fields})


def nested(depth: int) -> bytes:
    """A ping whose unknown field makes the message so deep."""
    return b"\x83\xa4type\xa4ping\xa7request\x01\xa1x" + b"\x91" * (depth - 1) + b"\x01"
