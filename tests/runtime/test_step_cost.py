"""What is expected of the next unit, after a history of units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.step_cost import WINDOW, PassKind, Shape, StepCost

STEP = Shape(PassKind.DENOISE, length=32, prefix=100)


def cost_after(*seconds, shape=STEP):
    cost = StepCost()
    for each in seconds:
        cost.observe(shape, each)
    return cost


class TestQuantile:
    def test_nothing_is_expected_before_anything_was_seen(self):
        assert StepCost().expected_s(STEP) == 0.0

    def test_of_a_few_units_the_dearest_counts(self):
        assert cost_after(0.010, 0.030, 0.020).expected_s(STEP) == 0.030

    def test_one_outlier_changes_nothing(self):
        assert cost_after(*[0.010] * 8, 5.0).expected_s(STEP) == 0.010
        assert cost_after(5.0, *[0.010] * 3).expected_s(STEP) == 0.010

    def test_a_lasting_slowdown_is_believed_after_its_second_unit(self):
        assert cost_after(*[0.010] * 40, 0.050, 0.050).expected_s(STEP) == 0.050

    def test_a_lasting_speedup_is_believed_after_a_window(self):
        assert cost_after(*[0.050] * 40, *[0.010] * (WINDOW - 1)).expected_s(STEP) == 0.010

    @given(st.lists(st.floats(1e-4, 1.0), min_size=4, max_size=60))
    def test_at_most_one_unit_of_a_window_took_longer(self, seconds):
        expected_s = cost_after(*seconds).expected_s(STEP)
        assert expected_s in seconds
        assert sum(each > expected_s for each in seconds[-WINDOW:]) <= 1


class TestShapes:
    def test_shapes_of_a_bucket_are_learned_together(self):
        cost = cost_after(0.010)
        assert cost.expected_s(Shape(PassKind.DENOISE, length=20, prefix=128)) == 0.010

    @pytest.mark.parametrize(
        "other",
        [
            Shape(PassKind.DENOISE, length=64, prefix=100),
            Shape(PassKind.DENOISE, length=32, prefix=200),
            Shape(PassKind.DENOISE, length=32, prefix=100, batch=2),
            Shape(PassKind.DENOISE, length=32, prefix=100, part=1),
            Shape(PassKind.ENCODE, length=32, prefix=100),
        ],
    )
    def test_what_makes_a_difference_has_a_bucket_of_its_own(self, other):
        cost = cost_after(0.010)
        cost.observe(other, 0.5)
        assert (cost.expected_s(STEP), cost.expected_s(other)) == (0.010, 0.5)

    def test_a_new_bucket_is_estimated_from_the_nearest_by_its_arithmetic(self):
        cost = cost_after(0.010)
        cost.observe(Shape(PassKind.DENOISE, length=256, prefix=4096), 9.0)
        estimate_s = cost.expected_s(Shape(PassKind.DENOISE, length=64, prefix=100))
        assert estimate_s == pytest.approx(0.010 * 2 * (1 + 192 / 1024) / (1 + 160 / 1024))

    def test_a_smaller_one_is_not_taken_to_be_cheaper(self):
        assert cost_after(0.010).expected_s(Shape(PassKind.DENOISE, length=4, prefix=8)) == 0.010

    def test_neither_the_other_pass_nor_another_slice_says_anything(self):
        cost = cost_after(0.010)
        assert cost.expected_s(Shape(PassKind.ENCODE, length=32, prefix=100)) == 0.0
        assert cost.expected_s(Shape(PassKind.DENOISE, length=32, prefix=100, part=1)) == 0.0


class TestDoubt:
    def test_an_estimate_that_stops_everything_falls_until_something_runs(self):
        cost = cost_after(*[4.0] * WINDOW)
        doubts = 0
        while cost.expected_s(STEP) > 0.1:
            cost.doubt(STEP)
            doubts += 1
        assert doubts < 40

    def test_it_falls_a_little_each_time(self):
        cost = cost_after(*[4.0] * WINDOW)
        cost.doubt(STEP)
        assert cost.expected_s(STEP) == pytest.approx(3.6)

    def test_what_is_seen_afterwards_counts_as_ever(self):
        cost = cost_after(*[4.0] * WINDOW)
        cost.doubt(STEP)
        for _ in range(3):
            cost.observe(STEP, 0.010)
        assert cost.expected_s(STEP) == 0.010
