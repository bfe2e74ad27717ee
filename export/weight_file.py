"""The weights file of a bundle: laid out first, then written weight by weight, also after an interruption."""

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import onnx_ir
from numpy.typing import NDArray

from export.errors import ExportError
from export.stored import Stored
from export.weight_plan import WeightPlan, is_pending
from runtime.bundle import WEIGHTS_FILE

JOURNAL_FILE = "written.jsonl"
"""Beside an unfinished weights file: what it belongs to, and what of it is done. Not part of a bundle."""

EXTERNAL_FROM_BYTES = 256
"""Weights below this stay in the graph file: each external tensor costs about as much in the graph as it saves."""

_PAGE_BYTES = 4096  # large weights begin on a page of memory, so that they can be mapped
_SMALL_ALIGNMENT_BYTES = 64
_LARGE_BYTES = 1 << 20
_REPORT_S = 10.0

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a weight lies in the file, in bytes."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of all weights by name, and the size of the file in bytes."""

    places: dict[str, Place]
    total_bytes: int


def lay_out(graph: onnx_ir.Graph, pending: Sequence[Stored]) -> Layout:
    """Give every weight its place: those that are still to be made in the order of their making, then the others."""
    order = [target for stored in pending for target in stored.targets if target in graph.initializers]
    order += [name for name in graph.initializers if name not in set(order)]
    places: dict[str, Place] = {}
    end = 0
    for name in order:
        value = graph.initializers[name]
        assert value.const_value is not None
        length = value.const_value.nbytes
        if length < EXTERNAL_FROM_BYTES and not is_pending(value):
            continue
        alignment = _PAGE_BYTES if length >= _LARGE_BYTES else _SMALL_ALIGNMENT_BYTES
        offset = -(-end // alignment) * alignment
        places[name] = Place(offset, length)
        end = offset + length
    return Layout(places, end)


def check_disk(folder: Path, layout: Layout) -> None:
    """Raise ExportError if there is no room for the weights on the disk where `folder` is, or will be."""
    there = next(parent for parent in (folder, *folder.resolve().parents) if parent.is_dir())
    free = shutil.disk_usage(there).free
    if layout.total_bytes > free:
        raise ExportError(
            f"the bundle needs {layout.total_bytes / 1e9:,.1f} GB, {there} has {free / 1e9:,.1f} GB free",
            "Free some space, choose another output folder, or store the weights in fewer bits (--experts, --linear)",
        )


class WeightFile:
    """The weights file in `folder` while it is written.

    Args:
        folder: of the bundle.
        layout: of its weights.
        key: says what the weights depend on; a file that was begun with another key is begun anew.
        report: gets a line every few seconds.
    """

    def __init__(self, folder: Path, layout: Layout, key: str, report: Report) -> None:
        self.path = folder / WEIGHTS_FILE
        self.journal = folder / JOURNAL_FILE
        self.layout = layout
        self.report = report
        self._done = self._read_journal(key)
        if not self._done:
            self.journal.write_text(json.dumps({"key": key}) + "\n", encoding="utf-8")
            with self.path.open("wb") as file:
                file.truncate(layout.total_bytes)
        self._started_s = self._reported_s = time.monotonic()
        self._written = 0

    def write(self, graph: onnx_ir.Graph, plan: WeightPlan) -> None:
        """Write what is not there yet, and let the graph's weights point into the file.

        Raises:
            ExportError: a tensor holds a number that is not finite, or makes more or fewer bytes than was laid out.
            OSError: the file cannot be written.
        """
        pending = plan.pending(graph)
        if self._done:
            self.report(f"going on: {len(self._done)} of {len(pending)} parts are there")
        with self.path.open("r+b") as file, self.journal.open("a", encoding="utf-8") as journal:
            for stored in pending:
                if _label(stored) not in self._done:
                    self._write_stored(file, stored, plan)
                    file.flush()
                    journal.write(json.dumps({"done": _label(stored)}) + "\n")
                    journal.flush()
            for name, place in self.layout.places.items():
                tensor = graph.initializers[name].const_value
                if not isinstance(tensor, onnx_ir.LazyTensor):
                    assert tensor is not None
                    file.seek(place.offset)
                    file.write(tensor.tobytes())
        for name, place in self.layout.places.items():
            value = graph.initializers[name]
            assert value.dtype is not None and value.shape is not None
            value.const_value = onnx_ir.ExternalTensor(
                WEIGHTS_FILE, place.offset, place.length, value.dtype, shape=value.shape, name=name,
                base_dir=self.path.parent,
            )  # fmt: skip
        self.journal.unlink()

    def _write_stored(self, file: BinaryIO, stored: Stored, plan: WeightPlan) -> None:
        places = [self.layout.places[target] for target in stored.targets]
        ends = [place.offset for place in places]
        for pieces in stored.make(plan.reader):
            for index, piece in enumerate(pieces):
                file.seek(ends[index])
                ends[index] += file.write(_bytes(piece).data)
            self._tell(sum(_bytes(piece).nbytes for piece in pieces))
        for target, place, end in zip(stored.targets, places, ends, strict=True):
            if end != place.offset + place.length:
                raise ExportError(
                    f"weight {target} became {end - place.offset} bytes, the graph wants {place.length}",
                    "Check that config.json belongs to these weights",
                )

    def _tell(self, num_bytes: int) -> None:
        self._written += num_bytes
        now_s = time.monotonic()
        if now_s - self._reported_s < _REPORT_S:
            return
        self._reported_s = now_s
        total = self.layout.total_bytes
        left_s = (now_s - self._started_s) * (total / self._written - 1)
        self.report(f"  {self._written / 1e9:,.2f} of {total / 1e9:,.2f} GB written, about {left_s:,.0f} s left")

    def _read_journal(self, key: str) -> set[str]:
        """What is done already; nothing where the file is of another export, or damaged."""
        if not self.journal.exists() or not self.path.exists():
            return set()
        records: list[dict[str, str]] = []
        for line in self.journal.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except ValueError:  # the last line of an export that was killed
                break
        if not records or records[0].get("key") != key or self.path.stat().st_size != self.layout.total_bytes:
            return set()
        return {record["done"] for record in records[1:]}


def _label(stored: Stored) -> str:
    return stored.targets[0]


def _bytes(piece: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(piece).reshape(-1).view(np.uint8)
