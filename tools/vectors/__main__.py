"""`python -m tools.vectors`: write the byte vectors of the protocol, from which all clients are tested.

bindings/protocol/README.md tells what the two files are and how a test uses them.
"""

import json
from pathlib import Path
from typing import Any

import msgpack

from runtime.messages import SIDECAR_MESSAGES, AnyMessage
from runtime.wire import MessageError, decode, encode
from tools.vectors.accepted import ACCEPTED
from tools.vectors.invalid import INVALID
from tools.vectors.valid import VALID

FOLDER = Path(__file__).resolve().parents[2] / "bindings" / "protocol"


def vectors() -> list[dict[str, Any]]:
    """Valid messages in their canonical bytes, and bytes that are refused with the code that the sidecar answers."""
    valid = [
        {"name": name, "from": _sender(message), "hex": encode(message).hex(), "valid": True, "type": message.type}
        for name, message in VALID
    ]
    invalid = [
        {"name": name, "from": sender, "hex": data.hex(), "valid": False, "code": _code(data)}
        for name, sender, data in INVALID
    ]
    return valid + invalid


def accepted() -> list[dict[str, Any]]:
    """Bytes that mean a valid message though nobody has to write them so; `canonical` is how it should be written."""
    rows = []
    for name, data in ACCEPTED:
        message = decode(data)
        row = {"name": name, "from": _sender(message), "hex": data.hex(), "type": message.type}
        rows.append(row | {"canonical": encode(message).hex()})
    return rows


def _sender(message: AnyMessage) -> str:
    return "sidecar" if message.type in SIDECAR_MESSAGES else "client"


def _code(data: bytes) -> str:
    try:
        decode(data)
    except MessageError as error:
        return error.code
    raise AssertionError(f"these bytes are no invalid message: {msgpack.unpackb(data)}")


def _text(rows: list[dict[str, Any]]) -> str:
    """One row a line, so that a change to one of them is one line's change."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


FILES = {"vectors.json": vectors, "accepted.json": accepted}


def text_of(name: str) -> str:
    """What the file of this name has to hold."""
    return _text(FILES[name]())


def main() -> None:
    """Write both files."""
    for name in FILES:
        (FOLDER / name).write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
