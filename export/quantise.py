"""Symmetric block-wise quantisation of weights, in numpy, next to the exact inverse.

Layout (that of ONNX Runtime's `MatMulNBits` and `QMoE`): the last axis K is cut into blocks of `block_size` values
that share one float32 scale; a stored value q stands for (q - zero_point) * scale with zero_point 2^(bits-1).
Four-bit values are packed two a byte along K, the even index in the low half.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Method = Literal["extreme", "least-squares"]
METHODS = get_args(Method)

FloatArray = NDArray[np.float32]
ByteArray = NDArray[np.uint8]

# Of the scale under which the largest value of a block is met. The signs differ: with the other one the range reaches a
# step further up than down, which is better where the two largest values have opposite signs.
_FACTORS = tuple(np.float32(sign * percent / 100) for percent in range(100, 68, -4) for sign in (1, -1))


@dataclass(frozen=True, slots=True)
class QuantisedWeight:
    """A weight of shape [..., K] as integers.

    Attributes:
        packed: uint8 [..., blocks, block_size * bits / 8], blocks = ceil(K / block_size).
        scales: float32 [..., blocks].
        bits: 4 or 8.
        block_size: values of K that share a scale.
        in_features: K; a last block that K does not fill is padded with zeros.
    """

    packed: ByteArray
    scales: FloatArray
    bits: int
    block_size: int
    in_features: int


def quantise(weight: FloatArray, bits: int, block_size: int, method: Method = "extreme") -> QuantisedWeight:
    """Quantise float32 [..., K] along K, to the nearest integers under one scale a block.

    Args:
        weight: the values.
        bits: 4 or 8.
        block_size: values of K that share a scale.
        method: how a block's scale is found. "extreme": the integer range -2^(bits-1) .. 2^(bits-1)-1 reaches one step
            further down than up, so the scale is taken from the value of largest magnitude, with its sign, such that
            this value is met exactly by the lowest integer. "least-squares": of that scale and smaller ones, which cut
            the largest values off, the one with the smallest sum of squared errors.
    """
    *lead, in_features = weight.shape
    blocks = -(-in_features // block_size)
    padded = np.zeros((*lead, blocks * block_size), dtype=np.float32)
    padded[..., :in_features] = weight
    grouped = padded.reshape(*lead, blocks, block_size)

    zero_point = 1 << (bits - 1)
    extreme = np.take_along_axis(grouped, np.abs(grouped).argmax(axis=-1, keepdims=True), axis=-1)
    scales = (extreme / np.float32(-zero_point)).astype(np.float32)
    if method == "least-squares":
        scales = _least_squares(grouped, scales, zero_point)
    quantised = (_rounded(grouped, scales, zero_point) + zero_point).astype(np.uint8)

    packed: ByteArray = quantised
    if bits == 4:
        packed = quantised[..., 0::2] | (quantised[..., 1::2] << 4).astype(np.uint8)
    return QuantisedWeight(packed, scales[..., 0], bits, block_size, in_features)


def _rounded(grouped: FloatArray, scales: FloatArray, zero_point: int) -> FloatArray:
    """The integers of blocks [..., block_size] under scales [..., 1], as floats around zero."""
    # A block of zeros, or of values so small that the scale underflows, is stored as zeros.
    divisor = np.where(scales == 0, np.float32(np.inf), scales)
    rounded: FloatArray = np.clip(np.rint(grouped / divisor), -zero_point, zero_point - 1)
    return rounded


def _least_squares(grouped: FloatArray, widest: FloatArray, zero_point: int) -> FloatArray:
    best, least = widest, np.full(widest.shape, np.inf, dtype=np.float32)
    for factor in _FACTORS:
        scales = widest * factor
        error = np.square(_rounded(grouped, scales, zero_point) * scales - grouped).sum(axis=-1, keepdims=True)
        best, least = np.where(error < least, scales, best), np.minimum(error, least)
    return best


def dequantise(weight: QuantisedWeight) -> FloatArray:
    """Return the float32 [..., K] that the quantised weight stands for, exactly as the kernels read it."""
    quantised = weight.packed
    if weight.bits == 4:
        quantised = np.stack([weight.packed & 0x0F, weight.packed >> 4], axis=-1).reshape(*weight.packed.shape[:-1], -1)
    values = (quantised.astype(np.float32) - (1 << (weight.bits - 1))) * weight.scales[..., None]
    return values.reshape(*values.shape[:-2], -1)[..., : weight.in_features]
