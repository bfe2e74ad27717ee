"""The evaluation of choices and actions: its questions, its figures, and its fit."""

import itertools

import numpy as np
import pytest

from runtime.actions import concrete_calls, parse_actions
from runtime.bundle import load_bundle
from runtime.pocket import POCKET_MODEL
from tools.eval.choice_scores import ScoredAction, ScoredChoice, Scorer, action_questions, choice_questions, spoken
from tools.eval.choices import calibration_error, fitted, mean_loss, rewritten


def choice(*asked, right=0, unasked=None):
    return ScoredChoice(right, np.array(asked, dtype=float), np.zeros(len(asked)) if unasked is None else unasked)


class TestQuestions:
    @pytest.mark.parametrize("held_out", [False, True])
    def test_the_right_answer_is_one_of_four(self, held_out):
        for question in itertools.islice(choice_questions(held_out=held_out), 50):
            assert len(set(question.options)) == 4
            assert question.options[question.right] == spoken(question.exchange)
            assert not any("[" in option for option in question.options)

    def test_half_of_the_lines_carry_out_what_was_declared(self):
        drawn = list(itertools.islice(action_questions(held_out=True), 60))
        assert sum(bool(exchange.action) for _, exchange in drawn) == 30
        for npc, exchange in drawn:
            calls = {call.text for call in concrete_calls(parse_actions(npc.actions))}
            assert exchange.action in {*calls, ""} and not spoken(exchange).endswith("]")

    def test_held_out_questions_are_others_than_those_of_the_fit(self):
        fit, held_out = (
            {question.npc.name for question in itertools.islice(choice_questions(held_out=side), 200)}
            for side in (False, True)
        )
        assert not fit & held_out


class TestFigures:
    def test_a_sure_hit_has_no_error_and_a_sure_miss_all_of_it(self):
        assert calibration_error([choice(100, 0)], 0.0, 1.0) == pytest.approx(0.0, abs=1e-6)
        assert calibration_error([choice(0, 100)], 0.0, 1.0) == pytest.approx(1.0)

    def test_who_says_three_quarters_and_is_right_in_three_of_four_is_calibrated(self):
        scored = [choice(np.log(3), 0, right=right) for right in (0, 0, 0, 1)]
        assert calibration_error(scored, 0.0, 1.0) == pytest.approx(0.0, abs=1e-9)
        assert mean_loss(scored, 0.0, 1.0) < mean_loss(scored, 0.0, 0.5)


class TestFit:
    def test_it_finds_the_weight_and_the_margin_that_separate(self):
        misled = [choice(-1.0, 0.0, unasked=np.array([-4.0, 0.0])), choice(0.0, -1.0, right=0)] * 5
        actions = [ScoredAction(True, True, -1.0), ScoredAction(False, False, -3.0)] * 5
        found = fitted(misled, actions)
        assert found["UNASKED_WEIGHT"] >= 0.5
        assert -3.0 < found["ACTION_MARGIN"] < -1.0

    def test_it_rewrites_what_it_fits_and_nothing_else(self):
        source = "A = 1.0\nB = 2.0\nAB = 3.0\n"
        assert rewritten(source, {"A": -0.5}) == "A = -0.5\nB = 2.0\nAB = 3.0\n"
        with pytest.raises(AssertionError, match="C is not set once"):
            rewritten(source, {"C": 1.0})


def test_the_pocket_model_tells_answers_apart():
    """A floor far below the figures in docs/choices.md, and far above a draw among four."""
    scorer = Scorer(load_bundle(POCKET_MODEL))
    scored = [
        scorer.choice(question.npc, question.exchange, question.options, question.right)
        for question in itertools.islice(choice_questions(held_out=True), 40)
    ]
    assert sum(int(one.scores(0.5).argmax()) == one.right for one in scored) >= 20
