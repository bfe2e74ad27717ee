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
    asymmetric=st.booleans(),
)
@settings(deadline=None)
def test_no_value_is_off_by_more_than_the_step_of_its_block(weight, bits, block_size, asymmetric):
    quantised = quantise(weight, bits, block_size, asymmetric=asymmetric)
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
    asymmetric=st.booleans(),
)
@settings(deadline=None)
def test_the_scale_with_the_least_squares_is_never_worse(weight, bits, asymmetric):
    extreme, searched = (
        np.square(dequantise(quantise(weight, bits, 32, method, asymmetric=asymmetric)) - weight)
        .reshape(2, 2, 32)
        .sum(axis=-1)
        for method in ("extreme", "least-squares")
    )
    assert (searched <= extreme * 1.0001 + 1e-30).all()


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_zero_points_are_two_a_byte_the_even_block_low(blocks):
    weight = np.tile(np.arange(32, dtype=np.float32) % 16, (1, blocks))  # 0 .. 15: the zero point is 0
    weight[:, :32] -= 5  # -5 .. 10
    stored = quantise(weight, 4, 32, asymmetric=True)
    assert stored.zero_points is not None and stored.zero_points.shape == (1, -(-blocks // 2))
    assert stored.zero_points[0, 0] == 0x05 and not stored.zero_points[0, 1:].any()
    assert np.array_equal(dequantise(stored), weight)


def test_a_block_all_on_one_side_is_finer_with_a_zero_point_of_its_own():
    weight = np.random.default_rng(0).random((8, 256), dtype=np.float32)
    errors = [np.abs(dequantise(quantise(weight, 4, 32, asymmetric=own)) - weight).mean() for own in (True, False)]
    assert errors[0] < 0.6 * errors[1]


def test_a_large_weight_is_stored_as_its_parts_are():
    weight = np.random.default_rng(0).standard_normal((40, 9000), dtype=np.float32)
    whole, row = quantise(weight, 4, 32), quantise(weight[39], 4, 32)
    assert np.array_equal(whole.packed[39], row.packed) and np.array_equal(whole.scales[39], row.scales)
