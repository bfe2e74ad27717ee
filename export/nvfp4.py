"""NVFP4: four-bit floats with an eight-bit scale for sixteen of them and a float32 scale for all, in numpy.

Layout of NVIDIA's modelopt checkpoints: two e2m1 codes a byte, the even index in the low half; scales in e4m3, 16
values along K each; a second scale in float32 for the whole weight. A code stands for

    e2m1(code) * (e4m3(scale) * scale_2)        (both products rounded to float32)

e2m1 has a sign, two bits of exponent and one of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4 and 6. Doubled it is an integer.
"""

from dataclasses import dataclass

import numpy as np

from export.quantise import ByteArray, FloatArray

BLOCK_SIZE = 16

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=np.float32)
"""What the codes 0 to 7 stand for; 8 to 15 are the same with a minus."""

_LARGEST_E2M1 = np.float32(6)
_LARGEST_E4M3 = np.float32(448)
_SIGN = 8


def _e4m3_values() -> FloatArray:
    """What each of the 256 bytes stands for: a sign, four bits of exponent with bias 7, three of mantissa."""
    codes = np.arange(256)
    exponent, mantissa = (codes >> 3) & 15, codes & 7
    values = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7))
    values[(codes & 127) == 127] = np.nan
    return np.where(codes >= 128, -values, values).astype(np.float32)


E4M3 = _e4m3_values()
"""What each byte stands for as e4m3."""

# Between two neighbours: a number above the middle becomes the upper one, the middle itself the one with an even code.
_E2M1_MIDDLES = ((E2M1[1:] + E2M1[:-1]) / 2).astype(np.float32)
_E4M3_MIDDLES = ((E4M3[1:127].astype(np.float64) + E4M3[:126]) / 2).astype(np.float32)

# Pairs of values by byte, low half first.
_PAIRS = np.concatenate([E2M1, -E2M1])[np.stack([np.arange(256) & 15, np.arange(256) >> 4], axis=-1)]


@dataclass(frozen=True, slots=True)
class Nvfp4Weight:
    """A weight of shape [..., K].

    Attributes:
        packed: uint8 [..., K / 2].
        scales: uint8 [..., K / 16], e4m3.
        scale_2: float32, of the whole weight.
    """

    packed: ByteArray
    scales: ByteArray
    scale_2: np.float32


def encode_nvfp4(weight: FloatArray, scale_2: np.float32 | None = None) -> Nvfp4Weight:
    """Round float32 [..., K], K a multiple of 16, as modelopt does: largest magnitudes are met, ties go to even codes.

    Args:
        weight: finite.
        scale_2: the scale of the whole weight, where `weight` is a piece of it; None for one that lets the largest
            block have the largest scale that e4m3 has.
    """
    blocks = weight.reshape(*weight.shape[:-1], -1, BLOCK_SIZE)
    largest = np.abs(blocks).max(axis=-1)
    if scale_2 is None:
        scale_2 = scale_2_of(weight)
    divisor = scale_2 if scale_2 > 0 else np.float32(1)
    scales = encode_e4m3(np.asarray(largest / _LARGEST_E2M1 / divisor, dtype=np.float32))
    steps = E4M3[scales] * scale_2
    # A block whose scale rounds to zero is stored as zeros.
    scaled = blocks / np.where(steps == 0, np.float32(np.inf), steps)[..., None]
    codes = _nearest(np.abs(scaled), _E2M1_MIDDLES) | np.where(np.signbit(scaled), _SIGN, 0).astype(np.uint8)
    packed: ByteArray = codes[..., 0::2] | (codes[..., 1::2] << 4).astype(np.uint8)
    return Nvfp4Weight(packed.reshape(*weight.shape[:-1], -1), scales, scale_2)


def decode_nvfp4(weight: Nvfp4Weight) -> FloatArray:
    """The float32 [..., K] that a weight stands for."""
    steps = E4M3[weight.scales] * weight.scale_2
    values: FloatArray = _PAIRS[weight.packed].reshape(*weight.scales.shape, BLOCK_SIZE) * steps[..., None]
    return values.reshape(*weight.packed.shape[:-1], -1)


def scale_2_of(weight: FloatArray) -> np.float32:
    """The second scale of a whole weight."""
    return np.float32(np.abs(weight).max() / (_LARGEST_E2M1 * _LARGEST_E4M3))


def encode_e4m3(values: FloatArray) -> ByteArray:
    """Round float32 values from 0 on to e4m3; what is larger than the largest one becomes it."""
    return _nearest(values, _E4M3_MIDDLES)


def _nearest(values: FloatArray, middles: FloatArray) -> ByteArray:
    """Index of the nearest grid value for numbers from 0 on; of the middle of two, the even one."""
    below = np.searchsorted(middles, values, side="left")
    above = np.searchsorted(middles, values, side="right")
    return np.where(below % 2 == 0, below, above).astype(np.uint8)
