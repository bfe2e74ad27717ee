"""Choices and actions against the clock: what a deadline leaves of them."""

import itertools
from dataclasses import replace

import pytest

from runtime.choice import ChooseRequest
from runtime.npc import Npc
from runtime.outcome import Chosen, Finished

MS = 1e-3
# The scripted session finds the second one likely.
OPTIONS = ("Nay.", "Aye.", "Hm.")
MIRA = Npc("mira", "Mira", "blacksmith", actions=("ring_bell()", "open_gate()"))


def calibrated(game, unit_ms=10.0, **options):
    made = game(itertools.repeat(unit_ms * MS), **options)
    made.engine.calibrate()
    return made


def at(played, request, after_s=0.0):
    return (played.clock.now_s + after_s, request)


def choice_within(game, deadline_ms, **options):
    played = calibrated(game, **options)
    played.play([at(played, ChooseRequest(MIRA, "Hello", OPTIONS, deadline_ms=deadline_ms))])
    ((_, outcome),) = played.ended.values()
    assert isinstance(outcome, Chosen)
    return played, outcome.choice


class TestChoice:
    def test_without_a_deadline_everything_is_scored(self, game):
        _, choice = choice_within(game, None)
        assert (choice.index, choice.source, choice.finish_reason) == (1, "model", "stop")
        # Two prompts, of which one pass each remains behind what they share, and twice a pass of three rows for both.
        assert choice.timings.denoise_ms == pytest.approx(80.0)

    @pytest.mark.parametrize(
        ("deadline_ms", "source", "reason"), [(5, "fallback", "deadline"), (5000, "model", "stop")]
    )
    def test_too_little_time_gives_the_first_option_and_enough_gives_the_best(self, game, deadline_ms, source, reason):
        _, choice = choice_within(game, deadline_ms)
        assert (choice.source, choice.finish_reason) == (source, reason)
        if source == "fallback":
            assert choice.index == 0 and choice.probabilities == (1 / 3,) * 3

    def test_between_them_it_is_the_best_so_far(self, game):
        needed_ms = choice_within(game, None)[1].timings.total_ms
        _, choice = choice_within(game, int(needed_ms) - 15)
        assert (choice.index, choice.source, choice.finish_reason) == (1, "model", "deadline")

    @pytest.mark.parametrize("slices", [1, 3])
    @pytest.mark.parametrize("deadline_ms", range(10, 200, 17))
    def test_it_is_never_late(self, game, deadline_ms, slices):
        played, _ = choice_within(game, deadline_ms, slices=slices)
        assert max(played.lateness_s()) <= 1e-9


class TestAction:
    def line_within(self, game, ask, deadline_ms):
        played = calibrated(game)
        played.play([at(played, replace(ask(deadline_ms=deadline_ms, steps=4), npc=MIRA))])
        ((_, outcome),) = played.ended.values()
        assert isinstance(outcome, Finished)
        return played, outcome.line

    def test_what_is_left_of_the_time_decides_about_the_action_alone(self, game, ask, monkeypatch):
        monkeypatch.setattr("runtime.acting.ACTION_MARGIN", -1.0)
        _, whole = self.line_within(game, ask, 5000)
        assert whole.action is not None
        played, hurried = self.line_within(game, ask, int(whole.timings.total_ms) - 15)
        assert hurried.action is None
        assert (hurried.text, hurried.source, hurried.finish_reason) == (whole.text, "model", "stop")
        assert max(played.lateness_s()) <= 1e-9
