"""Every weight of a traced graph and where its value comes from; every tensor of the checkpoint and where it goes."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir
from numpy.typing import NDArray

from export.errors import ExportError
from export.stored import Stored
from export.tensor_check import VISION_PREFIXES, listed
from export.weight_reader import WeightReader

SMALL_BYTES = 1 << 16
"""Weights below this are read before the graph is simplified, which may compute with them."""


class WeightPlan:
    """What a graph's weights are made from, checked against the checkpoint.

    Args:
        stored: what the lowered model says of its weights.
        reader: of the checkpoint.

    Raises:
        ExportError: a tensor of the checkpoint would be used twice or not at all, or is not there.
    """

    def __init__(self, stored: Sequence[Stored], reader: WeightReader) -> None:
        self.stored = stored
        self.reader = reader
        self._names = {target for maker in stored for target in maker.targets}
        uses = Counter(source for maker in stored for source in maker.sources)
        text = {name for name in reader.tensors if not name.startswith(VISION_PREFIXES)}
        for names, told in (
            (sorted(uses.keys() - text), "missing from the checkpoint"),
            (sorted(text - uses.keys()), "used by no weight of the graph"),
            (sorted(name for name, count in uses.items() if count > 1), "used by more than one weight of the graph"),
        ):
            if names:
                raise ExportError(f"{listed(names)} {told}", "Check that config.json belongs to these weights")

    def settle(self, graph: onnx_ir.Graph) -> None:
        """Give the weights of a traced graph their values where they are small, and else a name to fill in later.

        Raises:
            ExportError: the graph has a weight that nothing is known of, or a tensor is not finite.
        """
        small: dict[str, NDArray[Any]] = {}
        for maker in self.stored:
            values = [graph.initializers[target] for target in maker.targets if target in graph.initializers]
            if all(_num_bytes(value) <= SMALL_BYTES for value in values):
                small |= _made(maker, self.reader)
        for name, value in graph.initializers.items():
            if name in small:
                array = small[name].reshape(_sizes(value)).astype(value.dtype.numpy())
                value.const_value = onnx_ir.tensor(array, name=name)
            elif name in self._names:
                value.const_value = onnx_ir.LazyTensor(_not_yet, dtype=value.dtype, shape=value.shape, name=name)
            elif _num_bytes(value) > SMALL_BYTES:  # smaller ones are constants of the tracer's own
                raise ExportError(
                    f"nothing is known of weight {name} of the traced graph",
                    "The installed transformers builds the model differently; use the version in the extra `export`",
                )

    def pending(self, graph: onnx_ir.Graph) -> list[Stored]:
        """The makers of the weights that `settle` left open, in the order of the plan."""
        open_names = {name for name, value in graph.initializers.items() if is_pending(value)}
        return [maker for maker in self.stored if open_names.intersection(maker.targets)]


def is_pending(value: onnx_ir.Value) -> bool:
    """Whether `WeightPlan.settle` left the value of a weight open."""
    return isinstance(value.const_value, onnx_ir.LazyTensor)


def _made(maker: Stored, reader: WeightReader) -> dict[str, NDArray[Any]]:
    """The values of all targets, each as one row."""
    pieces = [[piece.reshape(-1) for piece in parts] for parts in maker.make(reader)]
    return {
        target: np.concatenate(parts) for target, parts in zip(maker.targets, zip(*pieces, strict=True), strict=True)
    }


def _sizes(value: onnx_ir.Value) -> tuple[int, ...]:
    assert value.shape is not None
    return tuple(int(size) for size in value.shape)


def _num_bytes(value: onnx_ir.Value) -> int:
    assert value.dtype is not None
    return math.prod(_sizes(value)) * int(value.dtype.itemsize)


def _not_yet() -> onnx_ir.TensorProtocol:
    raise AssertionError("a large weight was read before it was written")
