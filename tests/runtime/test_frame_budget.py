"""Credit for compute, on a clock that is given."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.frame_budget import FrameBudget

FRAME_S = 1 / 60
MS = 1e-3


class Game:
    """A game at a fixed rate that asks for units of one length, and notes when each has started."""

    def __init__(self, budget_ms, *, frame_s=FRAME_S):
        self.budget = FrameBudget()
        self.budget_ms = budget_ms
        self.frame_s = frame_s
        self.frame = 0
        self.began_s = 0.0
        self.starts = []

    def play(self, frames, unit_ms, actual_ms=None):
        """Each frame ticks and then runs what is allowed; returns milliseconds of compute by frame."""
        spent = []
        for _ in range(frames):
            now_s = self.began_s = max(self.frame * self.frame_s, self.began_s)
            self.budget.tick(now_s, self.frame, self.budget_ms * MS)
            spent.append(0.0)
            while self.budget.allows(now_s, unit_ms * MS):
                self.starts.append(now_s)
                now_s += (actual_ms or unit_ms) * MS
                spent[-1] += actual_ms or unit_ms
                self.budget.spend(now_s, unit_ms * MS, (actual_ms or unit_ms) * MS)
            self.frame += 1
            self.began_s = now_s
        return spent


class TestUnlimited:
    def test_without_a_word_from_the_game_everything_may_run(self):
        budget = FrameBudget()
        budget.spend(5.0, 1.0, 1.0)
        assert budget.allows(5.0, 3600.0)
        assert budget.wait_s(5.0, 3600.0) == 0.0
        assert budget.elapsed_s(0.02) == 0.02


class TestTicks:
    def test_units_run_as_long_as_they_end_inside_the_budget(self):
        assert Game(4).play(3, unit_ms=1.25) == [3.75] * 3

    def test_a_unit_longer_than_the_budget_runs_every_few_frames(self):
        # 2 ms a frame and a unit of 10: every fifth frame.
        assert Game(2).play(12, unit_ms=10) == [0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0, 0]

    def test_a_unit_that_is_a_little_longer_loses_no_credit(self):
        assert sum(Game(2).play(110, unit_ms=2.2)) >= 220 - 2.2 - 1e-9

    def test_a_unit_as_long_as_the_budget_runs_even_if_it_starts_a_little_late(self):
        budget = FrameBudget()
        budget.tick(0.0, 0, 2 * MS)
        assert budget.allows(0.1 * MS, 2 * MS)

    def test_but_only_one(self):
        budget = FrameBudget()
        for frame in range(100):
            budget.tick(frame * FRAME_S, frame, 2 * MS)
        now_s = 99 * FRAME_S
        assert budget.allows(now_s, 1.5 * MS)
        budget.spend(now_s + 1.5 * MS, 1.5 * MS, 1.5 * MS)
        assert not budget.allows(now_s + 1.5 * MS, 1.5 * MS)

    def test_nothing_starts_behind_the_budget_of_the_frame(self):
        budget = FrameBudget()
        budget.tick(0.0, 0, 2 * MS)
        assert budget.allows(1.9 * MS, 1 * MS)
        assert not budget.allows(2.1 * MS, 1 * MS)
        assert budget.wait_s(2.1 * MS, 1 * MS) == math.inf

    def test_credit_of_idle_frames_is_one_unit_and_one_frame_at_most(self):
        game = Game(2)
        game.play(600, unit_ms=1e9)
        assert game.play(9, unit_ms=10) == [10, 0, 0, 0, 10, 0, 0, 0, 0]
        assert game.budget.carry_bound_s(10 * MS) == pytest.approx(12 * MS)

    def test_what_a_unit_cost_too_much_is_owed_by_the_next_frames(self):
        game = Game(4)
        assert game.play(1, unit_ms=4, actual_ms=10) == [10]
        assert game.play(4, unit_ms=4) == [0, 0, 4, 4]

    def test_a_frame_without_a_budget_runs_nothing_whatever_was_carried(self):
        game = Game(2)
        game.play(100, unit_ms=1e9)
        game.budget_ms = 0
        assert game.play(5, unit_ms=1) == [0] * 5

    def test_a_pause_loses_the_credit(self):
        game = Game(2)
        game.play(100, unit_ms=1e9)
        game.frame += 60
        assert game.play(6, unit_ms=10) == [0, 0, 0, 0, 10, 0]

    def test_a_game_that_gave_much_and_then_paused_gets_no_more_than_the_timeout(self):
        budget = FrameBudget(tick_timeout_s=0.25)
        budget.tick(0.0, 0, 1.0)
        budget.tick(0.1, 1, 1.0)
        assert budget.allows(0.3, 10 * MS)
        assert not budget.allows(0.4, 10 * MS)

    def test_the_same_frame_gives_its_budget_once(self):
        budget = FrameBudget()
        for _ in range(9):
            budget.tick(0.0, 7, 2 * MS)
        assert not budget.allows(0.0, 3 * MS)

    def test_the_rate_of_units_is_known(self):
        game = Game(2, frame_s=1 / 30)
        game.play(20, unit_ms=10)
        assert game.budget.elapsed_s(10 * MS) == pytest.approx(5 / 30)
        assert game.budget.elapsed_s(0.9 * MS) == pytest.approx(1 / 60)
        assert game.budget.elapsed_s(0.0) == 0.0

    def test_with_a_budget_of_more_than_the_frame_it_is_the_unit_itself(self):
        game = Game(40)
        game.play(3, unit_ms=1e9)
        assert game.budget.elapsed_s(30 * MS) == 30 * MS

    def test_without_any_budget_a_unit_takes_for_ever(self):
        game = Game(0)
        game.play(10, unit_ms=1)
        assert game.budget.elapsed_s(1 * MS) == math.inf

    @given(
        st.lists(st.floats(0.0, 8.0), min_size=1, max_size=60),
        st.floats(0.1, 30.0),
        st.lists(st.floats(0.5, 1.5), min_size=1, max_size=7),
    )
    def test_compute_of_any_run_of_frames_is_what_they_gave_and_the_carry_bound(self, budgets_ms, unit_ms, jitter):
        game, spent, overshoot = Game(0), [], 0.0
        for number, budget_ms in enumerate(budgets_ms):
            game.budget_ms = budget_ms
            actual_ms = unit_ms * jitter[number % len(jitter)]
            overshoot = max(overshoot, actual_ms - unit_ms)
            spent += game.play(1, unit_ms, actual_ms)
        for first in range(len(spent)):
            carried = unit_ms + (max(budgets_ms[:first]) if first else 0.0)
            for last in range(first, len(spent)):
                allowed = sum(budgets_ms[first : last + 1]) + carried + overshoot
                assert sum(spent[first : last + 1]) <= allowed + 1e-6

    @given(st.floats(0.5, 8.0), st.floats(0.1, 60.0))
    def test_no_unit_is_so_long_that_it_never_runs(self, budget_ms, unit_ms):
        frames = math.ceil(unit_ms / budget_ms) + 1
        assert sum(Game(budget_ms).play(frames, unit_ms)) > 0


class TestPace:
    def run_for(self, seconds, max_load, unit_ms, fps=60.0):
        budget, now_s, busy_s = FrameBudget(), 0.0, 0.0
        budget.pace(0.0, max_load, fps)
        while now_s < seconds:
            wait_s = budget.wait_s(now_s, unit_ms * MS)
            now_s += wait_s
            if not budget.allows(now_s, unit_ms * MS):
                # Rounding may leave a hair to wait for, never a wait in earnest.
                assert budget.wait_s(now_s, unit_ms * MS) < 1e-9
                now_s += 1e-9
                continue
            now_s += unit_ms * MS
            busy_s += unit_ms * MS
            budget.spend(now_s, unit_ms * MS, unit_ms * MS)
        return busy_s

    @pytest.mark.parametrize("unit_ms", [0.3, 2.0, 40.0])
    @pytest.mark.parametrize("max_load", [0.05, 0.25, 0.9, 1.0])
    def test_compute_takes_its_share_of_the_time(self, max_load, unit_ms):
        assert self.run_for(10.0, max_load, unit_ms) == pytest.approx(10.0 * max_load, abs=0.05)

    def test_an_idle_hour_is_not_saved_up(self):
        budget = FrameBudget()
        budget.pace(0.0, 0.1, 50.0)
        assert budget.allows(3600.0, 0.01)
        budget.spend(3600.01, 0.01, 0.01)
        # A frame's budget is left, 2 ms, and what the 10 ms since have added.
        assert budget.wait_s(3600.01, 0.01) == pytest.approx((0.01 - 0.002 - 0.001) / 0.1)

    def test_telling_it_each_frame_takes_nothing_away(self):
        budget = FrameBudget()
        for frame in range(61):
            budget.pace(frame / 60.0, 0.1, 60.0)
        assert budget.allows(1.0, 0.099)

    def test_units_take_longer_by_the_share(self):
        budget = FrameBudget()
        budget.pace(0.0, 0.1, 60.0)
        assert budget.elapsed_s(0.01) == pytest.approx(0.1)

    def test_the_last_word_of_the_game_counts(self):
        budget = FrameBudget()
        budget.pace(0.0, 1.0, 60.0)
        budget.tick(9.0, 0, 2 * MS)
        assert not budget.allows(9.0, 3 * MS)
        budget.pace(9.0, 0.5, 60.0)
        assert budget.wait_s(9.0, 0.1) == pytest.approx(0.2)


class TestLift:
    def test_there_is_no_limit_until_the_next_tick(self):
        budget = FrameBudget()
        budget.tick(0.0, 1, 0.002)
        budget.spend(0.5, 0.5, 0.5)
        assert not budget.allows(0.5, 0.001)
        budget.lift()
        assert budget.allows(0.5, 1e6)
        assert budget.frame_gives_s == math.inf
        budget.tick(0.6, 2, 0.002)
        assert budget.allows(0.6, 0.002)
        assert not budget.allows(0.6, 0.003)

    def test_silence_is_counted_from_the_last_tick(self):
        budget = FrameBudget()
        assert budget.silent_s(7.0) == 0.0
        budget.tick(1.0, 1, 0.002)
        assert budget.silent_s(7.0) == 6.0
        budget.pace(8.0, 0.5, 60.0)
        assert budget.silent_s(9.0) == 0.0
