"""Block-wise quantisation of weights to integers, in numpy, next to the exact inverse.

Layout (that of ONNX Runtime's `MatMulNBits` and `QMoE`): the last axis K is cut into blocks of `block_size` values
that share one float32 scale; a stored value q stands for (q - zero_point) * scale. The zero point is 2^(bits-1), or one
of each block's own. Four-bit values are packed two a byte along K, the even index in the low half; four-bit zero points
in the same way along the blocks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from export.quantise_grid import METHODS, FloatArray, Method, block_grid
from export.row_chunks import row_chunks

__all__ = ["METHODS", "ByteArray", "FloatArray", "Method", "QuantisedWeight", "dequantise", "quantise"]

ByteArray = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class QuantisedWeight:
    """A weight of shape [..., K] as integers.

    Attributes:
        packed: uint8 [..., blocks, block_size * bits / 8], blocks = ceil(K / block_size).
        scales: float32 [..., blocks].
        bits: 4 or 8.
        block_size: values of K that share a scale.
        in_features: K; a last block that K does not fill is padded with zeros.
        zero_points: uint8 [..., ceil(blocks * bits / 8)]; None for 2^(bits-1) everywhere.
    """

    packed: ByteArray
    scales: FloatArray
    bits: int
    block_size: int
    in_features: int
    zero_points: ByteArray | None = None

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Everything that is stored: integers, scales, zero points where there are any."""
        arrays = self.packed, self.scales
        return arrays if self.zero_points is None else (*arrays, self.zero_points)


def quantise(
    weight: FloatArray, bits: int, block_size: int, method: Method = "extreme", *, asymmetric: bool = False
) -> QuantisedWeight:
    """Quantise float32 [..., K] along K, to the nearest integers under one scale a block.

    Args:
        weight: the values, finite; other float types are converted to float32 portion by portion.
        bits: 4 or 8.
        block_size: values of K that share a scale, an even number.
        method: how a block's scale is found. "extreme": the integer range -2^(bits-1) .. 2^(bits-1)-1 reaches one step
            further down than up, so the scale is taken from the value of largest magnitude, with its sign, such that
            this value is met exactly by the lowest integer; an asymmetric range is laid over the values, from the
            lowest to the highest one. "least-squares": of that scale and smaller ones, which cut the largest values
            off, the one with the smallest sum of squared errors, made smaller still by regression.
        asymmetric: whether each block has a zero point of its own.
    """
    *lead, in_features = weight.shape
    blocks = -(-in_features // block_size)
    values = weight.reshape(-1, in_features)
    packed = np.empty((len(values), blocks, block_size * bits // 8), dtype=np.uint8)
    scales = np.empty((len(values), blocks), dtype=np.float32)
    zero_points = np.empty((len(values), -(-blocks * bits // 8)), dtype=np.uint8) if asymmetric else None
    for rows in row_chunks(len(values), blocks * block_size):
        grouped = _padded(values[rows].astype(np.float32, copy=False), block_size)
        grid = block_grid(grouped, bits, method, asymmetric)
        integers = grid.nearest(grouped)
        integers += grid.zero_points
        packed[rows] = _packed(integers.astype(np.uint8), bits)
        scales[rows] = grid.scales[..., 0]
        if zero_points is not None:
            zero_points[rows] = _packed(np.asarray(grid.zero_points)[..., 0].astype(np.uint8), bits)
    packed, scales = packed.reshape(*lead, *packed.shape[1:]), scales.reshape(*lead, blocks)
    if zero_points is not None:
        zero_points = zero_points.reshape(*lead, zero_points.shape[1])
    return QuantisedWeight(packed, scales, bits, block_size, in_features, zero_points)


def dequantise(weight: QuantisedWeight) -> FloatArray:
    """Return the float32 [..., K] that the quantised weight stands for, exactly as the kernels read it."""
    values = _unpacked(weight.packed, weight.bits).astype(np.float32)
    zero_points: FloatArray | np.float32 = np.float32(1 << (weight.bits - 1))
    if weight.zero_points is not None:
        blocks = weight.scales.shape[-1]
        zero_points = _unpacked(weight.zero_points, weight.bits)[..., :blocks, None].astype(np.float32)
    values -= zero_points
    values *= weight.scales[..., None]
    return values.reshape(*values.shape[:-2], -1)[..., : weight.in_features]


def _padded(values: FloatArray, block_size: int) -> FloatArray:
    """Rows [rows, K] as blocks [rows, blocks, block_size], the last one filled up with zeros."""
    rows, in_features = values.shape
    if missing := -in_features % block_size:
        values = np.pad(values, ((0, 0), (0, missing)))
    return values.reshape(rows, -1, block_size)


def _packed(integers: ByteArray, bits: int) -> ByteArray:
    """Integers along the last axis, as they are stored; a half byte that is left over is zero."""
    if bits == 8:
        return integers
    packed = integers[..., 0::2].copy()
    high = integers[..., 1::2]
    packed[..., : high.shape[-1]] |= high << 4
    return packed


def _unpacked(packed: ByteArray, bits: int) -> ByteArray:
    if bits == 8:
        return packed
    return np.stack([packed & 0x0F, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)
