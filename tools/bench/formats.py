"""`formats`: what each way to store a weight costs in precision and bits, on experts of the real model's width."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from export.nvfp4 import decode_nvfp4, encode_nvfp4
from export.quantise import METHODS, FloatArray, dequantise
from export.quantiser import Quantiser

EXPERT_SHAPES = {"gate_up": (1408, 2816), "down": (2816, 704)}
"""Of one expert, [out, in]."""

_DEGREES_OF_FREEDOM = 5  # tails about as heavy as those of trained weights
_OUTLIER_COLUMNS = 0.003
_OUTLIER_FACTOR = 4.0
_SEED = 0

Stored = tuple[int, FloatArray]
Store = Callable[[FloatArray], Stored]


@dataclass(frozen=True, slots=True)
class FormatCost:
    """One way to store a weight.

    Attributes:
        format: its name.
        error: root of the mean squared error, relative to that of the weights, in percent.
        largest_error: largest error, relative to the largest weight, in percent.
        bits: stored for a weight, scales included.
        seconds: to store one expert.
    """

    format: str
    error: float
    largest_error: float
    bits: float
    seconds: float


def expert_weights(seed: int = _SEED) -> list[FloatArray]:
    """Weights of one expert: heavy tails, and a few input columns with larger ones, as trained models have them."""
    random = np.random.default_rng(seed)
    weights = []
    for rows, columns in EXPERT_SHAPES.values():
        weight = random.standard_t(_DEGREES_OF_FREEDOM, (rows, columns)).astype(np.float32) * np.float32(0.02)
        weight[:, random.random(columns) < _OUTLIER_COLUMNS] *= np.float32(_OUTLIER_FACTOR)
        weights.append(weight)
    return weights


def measure_formats() -> dict[str, Any]:
    """Every format on the same weights, by name in `formats`."""
    weights = expert_weights()
    return {"formats": [asdict(_cost(name, store, weights)) for name, store in _formats()]}


def _formats() -> Iterator[tuple[str, Store]]:
    for block_size in (32, 64):
        for method in METHODS:
            for asymmetric in (False, True):
                grid = "asymmetric" if asymmetric else "symmetric"
                quantiser = Quantiser(4, block_size, method, asymmetric)
                yield f"int4, blocks of {block_size}, {grid}, {method}", _integers(quantiser)
    for method in METHODS:
        yield f"int8, blocks of 32, symmetric, {method}", _integers(Quantiser(8, 32, method))
    yield "nvfp4, blocks of 16", _nvfp4


def _integers(quantiser: Quantiser) -> Store:
    def store(weight: FloatArray) -> Stored:
        stored = quantiser(weight)
        return sum(array.nbytes for array in stored.arrays), dequantise(stored)

    return store


def _nvfp4(weight: FloatArray) -> Stored:
    stored = encode_nvfp4(weight)
    return stored.packed.nbytes + stored.scales.nbytes + stored.scale_2.nbytes, decode_nvfp4(stored)


def _cost(name: str, store: Store, weights: list[FloatArray]) -> FormatCost:
    started_s = time.perf_counter()
    stored = [store(weight) for weight in weights]
    seconds = time.perf_counter() - started_s
    errors = [read - weight for (_, read), weight in zip(stored, weights, strict=True)]
    count = sum(weight.size for weight in weights)
    return FormatCost(
        name,
        100 * float(np.sqrt(sum(np.square(error).sum() for error in errors) / _squares(weights))),
        100 * max(_largest(error) / _largest(weight) for error, weight in zip(errors, weights, strict=True)),
        8 * sum(size for size, _ in stored) / count,
        round(seconds, 3),
    )


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max())


def _squares(weights: list[FloatArray]) -> float:
    return float(sum(np.square(weight).sum() for weight in weights))
