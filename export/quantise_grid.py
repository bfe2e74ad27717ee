"""The grids of blocks: which numbers the integers of a block stand for, found from the block's values alone.

An integer q from 0 to 2^bits - 1 stands for (q - zero_point) * scale. A symmetric grid has the zero point 2^(bits-1),
an asymmetric one its own for each block, a whole number too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Method = Literal["extreme", "least-squares"]
METHODS = get_args(Method)

FloatArray = NDArray[np.float32]

# Of the widest scale. Smaller ones cut the largest values off and are finer for the rest.
_FACTORS = tuple(np.float32(percent / 100) for percent in (100, 94, 88, 82, 76))
_REGRESSIONS = 2


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """One grid a block of values [..., block_size].

    Attributes:
        scales: float32 [..., 1], of either sign; 0 where a block holds zeros only.
        zero_points: float32 [..., 1], whole numbers; a single one for symmetric grids.
        highest: the highest integer, 2^bits - 1.
    """

    scales: FloatArray
    zero_points: FloatArray | np.float32
    highest: int

    def nearest(self, blocks: FloatArray) -> FloatArray:
        """q - zero_point of the nearest number of the grid for each value, as float32."""
        # A block of zeros, or of values so small that the scale underflows, is stored as zeros.
        integers: FloatArray = np.rint(blocks / np.where(self.scales == 0, np.float32(np.inf), self.scales))
        np.clip(integers, -self.zero_points, np.float32(self.highest) - self.zero_points, out=integers)
        return integers


def block_grid(blocks: FloatArray, bits: int, method: Method, asymmetric: bool) -> BlockGrid:
    """The grid of each block of float32 [..., block_size]; see `quantise` for the methods."""
    widest = _asymmetric(blocks, bits) if asymmetric else _symmetric(blocks, bits)
    if method == "extreme":
        return widest
    candidates = _asymmetric_candidates(blocks, widest) if asymmetric else _symmetric_candidates(widest)
    return _least_squares(blocks, candidates)


def _symmetric(blocks: FloatArray, bits: int) -> BlockGrid:
    zero_point = 1 << (bits - 1)
    extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=-1, keepdims=True), axis=-1)
    return BlockGrid(extreme / np.float32(-zero_point), np.float32(zero_point), (1 << bits) - 1)


def _asymmetric(blocks: FloatArray, bits: int) -> BlockGrid:
    highest = (1 << bits) - 1
    low, high = _range(blocks)
    scales = (high - low) / np.float32(highest)
    return BlockGrid(scales, _zero_points(low, high, scales, highest), highest)


def _range(blocks: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest value of each block, zero among them: a zero point is one of the integers."""
    low = np.minimum(blocks.min(axis=-1, keepdims=True), np.float32(0))
    return low, np.maximum(blocks.max(axis=-1, keepdims=True), np.float32(0))


def _zero_points(low: FloatArray, high: FloatArray, scales: FloatArray, highest: int) -> FloatArray:
    """The zero points with which the grids lie in the middle of the ranges."""
    divisor = np.where(scales == 0, np.float32(np.inf), scales)
    middle = (np.float32(highest) - (low + high) / divisor) / np.float32(2)
    return np.clip(np.rint(middle), 0, highest)


def _symmetric_candidates(widest: BlockGrid) -> Iterator[BlockGrid]:
    for factor in _FACTORS:
        # With the other sign the grid reaches a step further up than down, which is better where the two largest values
        # have opposite signs.
        for sign in (1, -1):
            yield BlockGrid(widest.scales * (sign * factor), widest.zero_points, widest.highest)


def _asymmetric_candidates(blocks: FloatArray, widest: BlockGrid) -> Iterator[BlockGrid]:
    low, high = _range(blocks)
    for factor in _FACTORS:
        scales = widest.scales * factor
        yield BlockGrid(scales, _zero_points(low, high, scales, widest.highest), widest.highest)


def _least_squares(blocks: FloatArray, candidates: Iterator[BlockGrid]) -> BlockGrid:
    """Of the candidates the one with the smallest sum of squared errors in each block, made better by regression.

    With the integers q held, the best scale is sum(value * (q - zero_point)) / sum((q - zero_point)^2); under that
    scale other integers may be the nearest, which can only lessen the error again.
    """
    best = next(candidates)
    least = _squares(blocks, best)
    for candidate in candidates:
        best, least = _better(blocks, best, least, candidate)
    for _ in range(_REGRESSIONS):
        integers = best.nearest(blocks)
        products = (integers * blocks).sum(axis=-1, keepdims=True)
        squares = np.square(integers, out=integers).sum(axis=-1, keepdims=True)
        scales = np.divide(products, squares, out=best.scales.copy(), where=squares > 0)
        best, least = _better(blocks, best, least, BlockGrid(scales, best.zero_points, best.highest))
    return best


def _better(
    blocks: FloatArray, best: BlockGrid, least: FloatArray, candidate: BlockGrid
) -> tuple[BlockGrid, FloatArray]:
    error = _squares(blocks, candidate)
    is_better = error < least
    scales = np.where(is_better, candidate.scales, best.scales)
    zero_points = best.zero_points
    if candidate.zero_points is not zero_points:
        zero_points = np.where(is_better, candidate.zero_points, zero_points)
    return BlockGrid(scales, zero_points, best.highest), np.minimum(error, least)


def _squares(blocks: FloatArray, grid: BlockGrid) -> FloatArray:
    errors = grid.nearest(blocks)
    errors *= grid.scales
    errors -= blocks
    squares: FloatArray = np.square(errors, out=errors).sum(axis=-1, keepdims=True)
    return squares
