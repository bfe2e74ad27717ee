"""Where to cut, so that the slices of a step take about the same time."""

import time
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.signature import Geometry, TensorSpec
from runtime.step_graph import StepGraph, Tensors

_LEAST_ROUNDS = 3
_MOST_ROUNDS = 40
_ENOUGH_S = 5.0
_PREFIX = 256


def balanced_borders(costs: Sequence[float], slices: int) -> tuple[int, ...]:
    """Split units of these costs, in their order, into `slices` runs of which the dearest is as cheap as it can be.

    Returns:
        The index of the first unit of each run but the first.
    """
    until = [0.0, *accumulate(costs)]
    # For each number of units from the front on: the dearest run of the best split so far, and where that one cuts.
    best: list[tuple[float, tuple[int, ...]]] = [(cost, ()) for cost in until]
    for runs in range(2, slices + 1):
        for end in range(len(costs), runs - 1, -1):
            best[end] = min(
                (max(best[start][0], until[end] - until[start]), (*best[start][1], start))
                for start in range(runs - 1, end)
            )
    return best[-1][1]


def measured_costs(graph: StepGraph, geometry: Geometry) -> list[float]:
    """Seconds that each slice takes at least in a denoising step of a whole canvas behind a usual prefix."""
    sizes = {"batch": 1, "length": geometry.canvas_length, "rows": geometry.canvas_length}
    sizes["prefix"] = min(_PREFIX, geometry.max_positions - geometry.canvas_length)
    random = np.random.default_rng(0)
    seconds: list[list[float]] = [[] for _ in graph.signatures]
    began_s = time.perf_counter()
    for done in range(_MOST_ROUNDS):
        if done >= _LEAST_ROUNDS and time.perf_counter() - began_s > _ENOUGH_S:
            break
        tensors: Tensors = {}
        for number, signature in enumerate(graph.signatures):
            for spec in signature.inputs:
                if spec.name not in tensors:
                    tensors[spec.name] = _example(spec, sizes, geometry.vocab_size, random)
            started_s = time.perf_counter()
            tensors |= graph.run(number, tensors, [spec.name for spec in signature.outputs])
            seconds[number].append(time.perf_counter() - started_s)
    return [min(taken) for taken in seconds]


def _example(spec: TensorSpec, sizes: dict[str, int], vocab_size: int, random: np.random.Generator) -> NDArray[Any]:
    shape = [sizes[size] if isinstance(size, str) else size for size in spec.shape]
    if spec.dtype == "bool":
        return np.ones(shape, dtype=np.bool_)
    if spec.dtype == "float32":
        return random.random(shape, dtype=np.float32)
    if spec.name == "logit_rows":
        return np.arange(*shape)
    # Any tokens do, if they are all kinds: experts spend less on a text of one word.
    return random.integers(0, vocab_size, shape) if spec.name == "input_ids" else np.zeros(shape, dtype=np.int64)
