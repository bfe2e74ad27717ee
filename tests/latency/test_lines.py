"""The line that a deadline leaves: planned steps, drafts, fallbacks, and what the reply says of them."""

import itertools
from dataclasses import replace

import pytest

from runtime.outcome import Failed, Finished

MS = 1e-3


def only_line(played):
    ((_, outcome),) = played.ended.values()
    assert isinstance(outcome, Finished)
    return outcome.line


def calibrated(game, unit_ms=10.0, **options):
    made = game(itertools.repeat(unit_ms * MS), **options)
    made.engine.calibrate()
    return made


def slows_down(game, **options):
    """10 ms a unit until the prompt is encoded, in its two parts, and one step is done; then 40 ms."""
    counted = calibrated(game)
    known = len(counted.session.slices_run) + 3
    made = game(itertools.chain(itertools.repeat(10 * MS, known), itertools.repeat(40 * MS)), **options)
    made.engine.calibrate()
    return made


def at(played, request, after_s=0.0):
    return (played.clock.now_s + after_s, request)


class TestPlan:
    def test_without_a_deadline_the_model_s_own_steps_are_planned(self, game, ask, bundle):
        played = game(itertools.repeat(10 * MS))
        line = only_line(played.play([(0.0, ask())]))
        assert line.steps_planned == bundle.manifest.generation.max_denoising_steps
        assert (line.source, line.finish_reason, line.text) == ("model", "stop", "Aye, friend.")
        assert line.steps_done < line.steps_planned

    @pytest.mark.parametrize(("deadline_ms", "most"), [(101, 10), (75, 7), (31, 3)])
    def test_with_one_as_many_as_fit_behind_the_prompt(self, game, ask, deadline_ms, most):
        played = calibrated(game, first_entropy=0.3)
        line = only_line(played.play([at(played, ask(deadline_ms=deadline_ms))]))
        chunks = round(line.timings.encode_ms / 10.0)
        assert line.steps_planned == most - chunks
        assert line.timings.total_ms <= deadline_ms

    def test_under_a_frame_budget_it_is_the_share_of_the_time_that_counts(self, game, ask):
        played = calibrated(game, unit_ms=4.0)
        played.play(
            [at(played, ask(1, steps=1), 0.5), at(played, ask(2, npc="tom", deadline_ms=1000), 1.0)],
            tick_every_s=0.02,
            budgets_ms=(2.0,),
        )
        line = played.ended[2][1].line
        # Every second frame has the credit for one unit: 25 a second.
        assert 18 <= line.steps_planned <= 25
        assert line.source == "model"

    def test_asks_that_come_together_share_the_time(self, game, ask):
        played = calibrated(game, first_entropy=9.0)
        played.play([at(played, ask(number, npc=f"npc {number}", deadline_ms=1000)) for number in range(8)])
        lines = [outcome.line for _, outcome in played.ended.values()]
        assert all(line.source != "fallback" and line.finish_reason == "stop" for line in lines)
        assert all(8 <= line.steps_planned <= 13 for line in lines)


class TestDeadline:
    def test_a_canvas_that_may_be_said_is_a_draft(self, game, ask):
        played = slows_down(game, first_entropy=0.3)
        line = only_line(played.play([at(played, ask(deadline_ms=200))]))
        assert (line.source, line.finish_reason, line.text) == ("draft", "deadline", "Aye, friend.")
        assert 0 < line.steps_done < line.steps_planned
        assert line.deterministic
        assert 0.7 < line.confidence < 1.0

    def test_one_that_may_not_gives_a_fallback(self, game, ask):
        played = slows_down(game, first_entropy=50.0)
        line = only_line(played.play([at(played, ask(deadline_ms=200))]))
        assert (line.source, line.finish_reason) == ("fallback", "deadline")
        assert line.text in ("Later.", "Not now.", "Come back soon.")
        assert (line.tokens, line.confidence, line.deterministic) == (0, 0.0, False)
        assert line.steps_done > 0

    @pytest.mark.parametrize(
        ("first_entropy", "source", "finish_reason"),
        [(0.001, "model", "stop"), (0.9, "draft", "stop"), (9.0, "fallback", "deadline")],
    )
    def test_a_line_of_few_steps_has_to_pass_the_gate_unless_the_model_was_done(
        self, game, ask, first_entropy, source, finish_reason
    ):
        played = calibrated(game, first_entropy=first_entropy)
        line = only_line(played.play([at(played, ask(deadline_ms=45))]))
        assert (line.steps_planned, line.steps_done) == (2, 2)
        assert (line.source, line.finish_reason) == (source, finish_reason)

    def test_no_time_at_all_gives_one_at_once(self, game, ask):
        played = calibrated(game)
        line = only_line(played.play([at(played, ask(deadline_ms=5))]))
        assert (line.source, line.steps_planned, line.steps_done) == ("fallback", 0, 0)
        assert line.timings.total_ms == line.timings.queue_ms == 0.0

    def test_fallbacks_of_a_character_never_come_twice_running(self, game, ask):
        played = calibrated(game)
        played.play([at(played, ask(number, deadline_ms=5), number * 0.01) for number in range(30)])
        texts = [outcome.line.text for _, outcome in played.ended.values()]
        assert all(first != second for first, second in itertools.pairwise(texts))
        assert len(set(texts)) == 3

    def test_a_draft_is_made_again_from_its_steps(self, game, ask):
        played = slows_down(game, first_entropy=0.3)
        cut = only_line(played.play([at(played, ask(7, deadline_ms=200))]))
        again_game = game(itertools.repeat(1 * MS), first_entropy=0.3)
        request = ask(7, steps=cut.steps_planned, stop_after_steps=cut.steps_done)
        again = only_line(again_game.play([(0.0, request)]))
        assert replace(again, timings=cut.timings) == cut


class TestBanned:
    def test_a_line_with_a_banned_word_is_drawn_anew_and_then_replaced(self, game, ask):
        request = ask()
        request = replace(request, npc=replace(request.npc, banned=("friend",)))
        line = only_line(game(itertools.repeat(1 * MS)).play([(0.0, request)]))
        assert (line.source, line.finish_reason, line.rerolls) == ("fallback", "banned", 3)
        assert "friend" not in line.text


class TestPolicies:
    def test_a_replaced_job_ends_as_replaced(self, game, ask):
        played = game(itertools.repeat(10 * MS))
        played.play([(0.0, ask(1)), (0.015, ask(2, policy="replace")), (0.015, ask(3, npc="tom", policy="replace"))])
        assert isinstance(played.ended[1][1], Failed)
        assert played.ended[1][1].error.code == "replaced"
        assert all(isinstance(played.ended[job_id][1], Finished) for job_id in (2, 3))

    def test_a_rejected_one_is_refused(self, game, ask):
        played = game(itertools.repeat(10 * MS))
        played.play([(0.0, ask(1)), (0.015, ask(2, policy="reject"))])
        assert played.refused == ["npc-busy"]
        assert list(played.ended) == [1]

    def test_the_same_character_of_two_owners_is_two(self, game, ask):
        played = game(itertools.repeat(10 * MS))
        played.engine.submit(ask(1), owner="one")
        played.engine.submit(ask(2, policy="reject"), owner="two")


class TestDrafts:
    def drafts_of(self, game, request):
        made, drafts = game(itertools.repeat(10 * MS)), []
        made.engine.submit(request, on_draft=drafts.append)
        while not made.engine.idle:
            made.engine.step()
        return drafts

    def test_one_comes_after_each_step_but_the_last(self, game, ask):
        drafts = self.drafts_of(game, ask(draft_every_ms=0))
        assert [draft.steps_done for draft in drafts] == list(range(1, len(drafts) + 1))
        assert {draft.text for draft in drafts} == {"Aye, friend."}
        # Nothing has settled before it was said twice, and all of it once the model is sure.
        assert drafts[0].stable_chars == 0
        assert drafts[-1].stable_chars == len("Aye, friend.")

    def test_or_less_often(self, game, ask):
        drafts = self.drafts_of(game, ask(draft_every_ms=25))
        assert [draft.steps_done for draft in drafts] == [1, 4, 7][: len(drafts)]
        assert len(drafts) > 1


class TestBudget:
    def test_what_a_callback_takes_is_paid_too(self, game, ask):
        played = game(itertools.repeat(1 * MS))
        played.engine.submit(ask(), lambda report: played.clock.advance(1.0))
        played.engine.tick(0, 10.0)
        while played.clock.now_s < 1.0:
            played.engine.step()
        played.engine.tick(1, 10.0)
        assert played.engine.step() == () and played.engine.wait_s() == float("inf")
        # It took a second of 10 ms a frame.
        for frame in range(2, 102):
            played.clock.advance(0.02)
            played.engine.tick(frame, 10.0)
        assert played.engine.wait_s() == 0.0


class TestSlices:
    def test_a_unit_is_one_slice(self, game, ask):
        played = game(itertools.repeat(1 * MS), slices=3)
        line = only_line(played.play([(0.0, ask())]))
        assert len(played.session.slices_run) % 3 == 0
        assert line.timings.denoise_ms == pytest.approx(3.0 * line.steps_done)

    def test_a_cancelled_job_stops_between_two_slices(self, game, ask):
        played = game(itertools.repeat(1 * MS), slices=3)
        job_id = played.engine.submit(ask())
        played.engine.step()
        assert played.engine.cancel(job_id)
        assert played.engine.step() == () and played.engine.idle
        assert len(played.session.slices_run) == 1


class TestCalibration:
    def test_it_measures_the_usual_shapes_a_few_times(self, game):
        played = game(itertools.repeat(4 * MS), slices=2)
        played.engine.calibrate()
        # Three encodes, a step of either sampler and a scoring pass of four rows, of two slices each, once to warm up
        # and four times in earnest.
        assert len(played.session.slices_run) == 60
        expected_s = [4 * MS] * 10 + [10 * MS] * 2
        assert list(played.engine._compute.cost._expected_s.values()) == pytest.approx(expected_s)

    def test_a_slow_model_is_measured_once(self, game):
        played = game(itertools.repeat(0.4))
        played.engine.calibrate()
        assert len(played.session.slices_run) == 12
