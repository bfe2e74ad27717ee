"""NVFP4 in both directions: every code and every scale by the letter of the formats, and rounding to the nearest."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from export.nvfp4 import BLOCK_SIZE, E2M1, E4M3, Nvfp4Weight, decode_nvfp4, encode_e4m3, encode_nvfp4

WEIGHTS = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 3), st.integers(1, 4).map(lambda blocks: blocks * BLOCK_SIZE)),
    elements=st.floats(-1e4, 1e4, width=32),
)


def spelled_out_e2m1(code):
    sign, exponent, mantissa = code >> 3, (code >> 1) & 3, code & 1
    magnitude = mantissa * 0.5 if exponent == 0 else (1 + mantissa * 0.5) * 2.0 ** (exponent - 1)
    return -magnitude if sign else magnitude


def test_every_code_under_every_scale_is_what_the_format_says():
    codes = np.arange(256, dtype=np.uint8)
    scales = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).float().numpy()
    np.testing.assert_array_equal(E4M3, scales)
    for scale_2 in np.float32([1, 0.1, 3e-5]):
        packed = np.broadcast_to(codes[None, :8], (256, 8)).copy()
        for start in range(0, 256, 8):
            packed[:] = codes[start : start + 8]
            found = decode_nvfp4(Nvfp4Weight(packed, codes[:, None], scale_2))
            spelled = [spelled_out_e2m1(half) for byte in packed[0] for half in (int(byte) & 15, int(byte) >> 4)]
            with np.errstate(invalid="ignore"):
                expected = np.float32(spelled)[None] * (scales * scale_2)[:, None]
            np.testing.assert_array_equal(found, expected)


def test_doubled_codes_are_whole_numbers():
    np.testing.assert_array_equal(2 * E2M1, [0, 1, 2, 3, 4, 6, 8, 12])


@given(values=arrays.arrays(np.float32, st.integers(1, 50), elements=st.floats(0, 448, width=32)))
def test_scales_are_rounded_as_torch_does(values):
    expected = torch.from_numpy(values).to(torch.float8_e4m3fn).view(torch.uint8).numpy()
    np.testing.assert_array_equal(encode_e4m3(values), expected)


def test_a_scale_beyond_the_largest_becomes_the_largest():
    assert E4M3[encode_e4m3(np.float32([448, 449, 1e30]))].tolist() == [448, 448, 448]


@given(WEIGHTS)
def test_no_value_is_off_by_more_than_half_the_gap_of_its_block(weight):
    stored = encode_nvfp4(weight)
    steps = (E4M3[stored.scales] * stored.scale_2).repeat(BLOCK_SIZE, axis=-1)
    scaled = np.abs(weight) / np.where(steps == 0, 1, steps)
    gap = np.where(scaled <= 2, 0.5, np.where(scaled <= 4, 1, 2)) * steps
    # The scale itself is rounded, by a sixteenth at most: the largest of a block may lie that far beyond its end. Where
    # it is smaller than e4m3 can say, it is off by the smallest step of e4m3, six times.
    beyond = np.maximum(np.abs(weight) - 6 * steps, 0)
    assert (beyond <= np.maximum(6.4 * steps / 16, 6 * 2.0**-10 * stored.scale_2) * 1.0001 + 1e-37).all()
    assert (np.abs(decode_nvfp4(stored) - weight) <= gap / 2 * 1.0001 + beyond + 1e-37).all()


@given(WEIGHTS)
def test_a_decoded_weight_is_stored_as_it_was(weight):
    """With its own second scale; a block whose largest value was rounded down to 4 would choose another scale."""
    stored = encode_nvfp4(weight)
    decoded = decode_nvfp4(stored)
    again = decode_nvfp4(encode_nvfp4(decoded, stored.scale_2))
    largest = np.abs(decoded.reshape(-1, BLOCK_SIZE)).max(axis=-1)
    full = largest == 6 * (E4M3[stored.scales] * stored.scale_2).reshape(-1)
    np.testing.assert_array_equal(again.reshape(-1, BLOCK_SIZE)[full], decoded.reshape(-1, BLOCK_SIZE)[full])


@pytest.mark.parametrize("value", [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])
def test_the_middle_of_two_goes_to_the_even_code(value):
    weight = np.full((1, BLOCK_SIZE), value, dtype=np.float32)
    weight[0, 0] = 6
    stored = encode_nvfp4(weight, np.float32(1))
    decoded = decode_nvfp4(stored)[0, 1]
    assert np.searchsorted(E2M1, decoded) % 2 == 0
    assert abs(decoded - value) == np.abs(E2M1 - value).min()


def test_zeros_stay_zeros():
    stored = encode_nvfp4(np.zeros((2, 32), dtype=np.float32))
    assert not decode_nvfp4(stored).any()
