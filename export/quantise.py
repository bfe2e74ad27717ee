"""Symmetric block-wise quantisation of weights, in numpy, next to the exact inverse.

Layout (that of ONNX Runtime's `MatMulNBits` and `QMoE`): the last axis K is cut into blocks of `block_size` values
that share one float32 scale; a stored value q stands for (q - zero_point) * scale with zero_point 2^(bits-1).
Four-bit values are packed two a byte along K, the even index in the low half.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
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
    """

    packed: ByteArray
    scales: FloatArray
    bits: int
    block_size: int
    in_features: int


def quantise(weight: FloatArray, bits: int, block_size: int) -> QuantisedWeight:
    """Quantise float32 [..., K] along K.

    The integer range -2^(bits-1) .. 2^(bits-1)-1 reaches one step further down than up, so the scale is taken from the
    value of largest magnitude, with its sign, such that this value is met exactly by the lowest integer.
    """
    *lead, in_features = weight.shape
    blocks = -(-in_features // block_size)
    padded = np.zeros((*lead, blocks * block_size), dtype=np.float32)
    padded[..., :in_features] = weight
    grouped = padded.reshape(*lead, blocks, block_size)

    zero_point = 1 << (bits - 1)
    extreme = np.take_along_axis(grouped, np.abs(grouped).argmax(axis=-1, keepdims=True), axis=-1)
    scales = (extreme / np.float32(-zero_point)).astype(np.float32)
    # A block of zeros, or of values so small that the scale underflows, is stored as zeros.
    divisor = np.where(scales == 0, np.float32(1), scales)
    quantised = np.clip(np.rint(grouped / divisor) + zero_point, 0, 2 * zero_point - 1).astype(np.uint8)
    quantised[np.broadcast_to(scales == 0, quantised.shape)] = zero_point

    packed = quantised[..., 0::2] | (quantised[..., 1::2] << 4) if bits == 4 else quantised
    return QuantisedWeight(packed, scales[..., 0], bits, block_size, in_features)


def dequantise(weight: QuantisedWeight) -> FloatArray:
    """Return the float32 [..., K] that the quantised weight stands for, exactly as the kernels read it."""
    quantised = weight.packed
    if weight.bits == 4:
        quantised = np.stack([weight.packed & 0x0F, weight.packed >> 4], axis=-1).reshape(*weight.packed.shape[:-1], -1)
    values = (quantised.astype(np.float32) - (1 << (weight.bits - 1))) * weight.scales[..., None]
    return values.reshape(*values.shape[:-2], -1)[..., : weight.in_features]


def quantisation_bits(mode: str) -> int | None:
    """Return the bits of a quantisation mode: 4 for int4, 8 for int8, None for fp32."""
    return {"int4": 4, "int8": 8, "fp32": None}[mode]
