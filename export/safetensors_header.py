"""Reading what a safetensors file says it holds, without reading the tensors.

Format: 8 bytes little-endian length, that many bytes of JSON (name -> dtype, shape, data_offsets), then the data.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from export.errors import ExportError

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 100_000_000  # the limit of the format's own reader
_FETCH_AGAIN = "Download or copy the checkpoint again"


@dataclass(frozen=True, slots=True)
class TensorHeader:
    """One tensor: the file it lies in, its type ("F32", "BF16", ...), its shape, and its first byte in the file."""

    file: str
    dtype: str
    shape: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class WeightsHeader:
    """One file's tensors, and the header's bytes as they stand in the file."""

    tensors: dict[str, TensorHeader]
    raw: bytes


def read_header(path: Path) -> WeightsHeader:
    """Read the header of `path` and check that the data it announces is there.

    Raises:
        ExportError: not a safetensors file, damaged, or cut off; names the file.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
            if size < _LENGTH_BYTES or length > min(size - _LENGTH_BYTES, _MAX_HEADER_BYTES):
                raise ExportError(f"{path.name} is cut off or not a safetensors file", _FETCH_AGAIN)
            raw = stream.read(length)
    except OSError as error:
        raise ExportError(f"{path.name} cannot be read ({error.strerror})", _FETCH_AGAIN) from error
    try:
        entries = json.loads(raw)
        entries.pop("__metadata__", None)
        first = _LENGTH_BYTES + length
        ends = [entry["data_offsets"][1] for entry in entries.values()]
        tensors = {
            name: TensorHeader(
                path.name, str(entry["dtype"]), tuple(map(int, entry["shape"])), first + int(entry["data_offsets"][0])
            )
            for name, entry in entries.items()
        }
    except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        raise ExportError(f"{path.name} has a damaged header", _FETCH_AGAIN) from error
    announced = first + max(ends, default=0)
    if size != announced:
        raise ExportError(f"{path.name} has {size} bytes where its header announces {announced}", _FETCH_AGAIN)
    return WeightsHeader(tensors, raw)
