"""Block-wise quantisation and its exact inverse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from export.quantise import dequantise, quantise


@given(
    weight=arrays.arrays(
        np.float32, st.tuples(st.integers(1, 3), st.integers(1, 100)), elements=st.floats(-1e3, 1e3, width=32)
    ),
    bits=st.sampled_from([4, 8]),
    block_size=st.sampled_from([32, 64]),
)
@settings(deadline=None)
def test_no_value_is_off_by_more_than_the_step_of_its_block(weight, bits, block_size):
    quantised = quantise(weight, bits, block_size)
    steps = np.repeat(np.abs(quantised.scales), block_size, axis=-1)[:, : weight.shape[1]]
    error = np.abs(dequantise(quantised) - weight)
    # Half a step by rounding; a whole one at the end of the range that has one step less.
    assert (error <= steps * 1.0001 + 1e-37).all()


@pytest.mark.parametrize("bits", [4, 8])
def test_the_largest_value_of_a_block_and_zero_are_exact(bits):
    weight = np.zeros((2, 64), dtype=np.float32)
    weight[0, 3], weight[0, 40], weight[1, 63] = 0.7, -0.3, -2.5
    assert np.array_equal(dequantise(quantise(weight, bits, 32)), weight)


def test_values_on_the_grid_come_back_exactly():
    steps = np.arange(-8, 8, dtype=np.float32)
    weight = np.tile(steps * np.float32(0.25), (3, 4))
    assert np.array_equal(dequantise(quantise(weight, 4, 32)), weight)


def test_four_bit_values_lie_two_a_byte_the_even_one_low():
    weight = np.zeros((1, 32), dtype=np.float32)
    weight[0, :3] = [-8, 1, 2]
    quantised = quantise(weight, 4, 32)
    assert quantised.packed.shape == (1, 1, 16)
    assert quantised.packed[0, 0, :3].tolist() == [0x90, 0x8A, 0x88]
    assert quantised.scales.tolist() == [[1.0]]


def test_the_last_block_may_be_shorter():
    weight = np.random.default_rng(0).standard_normal((5, 40), dtype=np.float32)
    quantised = quantise(weight, 8, 32)
    assert quantised.packed.shape == (5, 2, 32)
    assert dequantise(quantised).shape == (5, 40)


def test_a_block_of_zeros_has_no_division_by_zero():
    assert not dequantise(quantise(np.zeros((1, 32), dtype=np.float32), 4, 32)).any()


def test_leading_axes_are_kept():
    weight = np.random.default_rng(0).standard_normal((2, 3, 64), dtype=np.float32)
    quantised = quantise(weight, 4, 32)
    assert quantised.packed.shape == (2, 3, 2, 16)
    assert np.array_equal(dequantise(quantised)[1], dequantise(quantise(weight[1], 4, 32)))


def test_four_bits_lose_more_than_eight():
    weight = np.random.default_rng(0).standard_normal((8, 256), dtype=np.float32)
    errors = [np.abs(dequantise(quantise(weight, bits, 32)) - weight).mean() for bits in (4, 8)]
    assert 0.05 < errors[0] < 0.12 and errors[1] < errors[0] / 10


@given(
    weight=arrays.arrays(np.float32, st.tuples(st.just(2), st.just(64)), elements=st.floats(-100, 100, width=32)),
    bits=st.sampled_from([4, 8]),
)
def test_the_scale_with_the_least_squares_is_never_worse(weight, bits):
    extreme, searched = (
        np.square(dequantise(quantise(weight, bits, 32, method)) - weight).reshape(2, 2, 32).sum(axis=-1)
        for method in ("extreme", "least-squares")
    )
    assert (searched <= extreme * 1.0001 + 1e-30).all()
