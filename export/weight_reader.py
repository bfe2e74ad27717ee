"""The weights of a checkpoint in float32, piece by piece: no more than a piece of one tensor is in memory at a time.

The files are read, not mapped: mapped pages would count as memory of this process until the system wants them back.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch

from export.errors import ExportError
from export.lora import LoraAdapter
from export.lora_merge import LoraChanges
from export.quantise import FloatArray
from export.safetensors_header import TensorHeader

PART_BYTES = 64 << 20
"""Size in float32 that a piece of a matrix may have; a piece of a stack of matrices is one of these."""

_TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


class WeightReader:
    """Tensors by name, an adapter's changes added.

    Args:
        folder: of the checkpoint.
        tensors: what its files hold.
        adapter: LoRA adapter whose changes belong to the weights, None for none.
    """

    def __init__(self, folder: Path, tensors: Mapping[str, TensorHeader], adapter: LoraAdapter | None = None) -> None:
        self.tensors = tensors
        self._folder = folder
        self._changes = None if adapter is None else LoraChanges(adapter)

    def parts(self, name: str) -> Iterator[FloatArray]:
        """Pieces of a tensor along its first axis, float32 and in order; a scalar is a piece of one number.

        Raises:
            ExportError: the tensor holds a number that is not finite, or its file cannot be read.
        """
        header = self.tensors[name]
        dtype = _TYPES[header.dtype]
        rows, *rest = header.shape or (1,)
        row_size = math.prod(rest)
        step = 1 if len(rest) > 1 else max(1, PART_BYTES // (4 * row_size))
        try:
            with (self._folder / header.file).open("rb") as file:
                file.seek(header.offset)
                for start in range(0, rows, step):
                    count = min(step, rows - start)
                    data = bytearray(count * row_size * dtype.itemsize)
                    if file.readinto(data) != len(data):
                        raise self._damaged(name, "is cut off")
                    yield self._finished(name, start, torch.frombuffer(data, dtype=dtype).reshape(count, *rest))
        except OSError as error:
            raise self._damaged(name, f"cannot be read ({error.strerror})") from error

    def read(self, name: str) -> FloatArray:
        """A whole tensor in float32; see `parts` for what is raised."""
        parts = [torch.from_numpy(part) for part in self.parts(name)]
        whole: FloatArray = (parts[0] if len(parts) == 1 else torch.cat(parts)).numpy()
        return whole

    def _finished(self, name: str, start: int, part: torch.Tensor) -> FloatArray:
        part = part.float()
        if self._changes is not None:
            self._changes.add(name, start, part)
        if not part.isfinite().all():
            raise self._damaged(name, "holds a number that is not finite")
        array: FloatArray = part.numpy()
        return array

    def _damaged(self, name: str, problem: str) -> ExportError:
        return ExportError(
            f"tensor {name} in {self.tensors[name].file} {problem}", "Download or copy the checkpoint again"
        )
