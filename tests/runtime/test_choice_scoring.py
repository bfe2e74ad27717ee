"""Canvases of texts under patterns of noise, and what becomes of their likelihoods."""

import numpy as np
import pytest

from runtime.choice_scoring import ROWS_PER_PASS, NoisePattern, OptionCanvases, Scoring
from runtime.step_cost import PassKind, Shape

VOCAB_SIZE = 100
# No noise, so that noise can be told from text.
EOS = 101
ALL, HALF = NoisePattern(1.0, seed=3), NoisePattern(0.5, seed=4)


def run(scoring, likelihood):
    """Score all; `likelihood` gets the inputs of a pass and answers for them. Returns the inputs of each pass."""
    passes = []
    while not scoring.finished:
        passes.append(scoring.inputs())
        scoring.take(likelihood(passes[-1]))
    return passes


def by_token(inputs):
    """A token's number, as if more of it meant more probable."""
    return inputs.scored_ids.astype(np.float32)


class TestCanvases:
    def test_texts_are_filled_up_with_end_tokens(self):
        canvases = OptionCanvases.of([[5, 6, 7], [8]], EOS, longest=10)
        assert canvases.ids.tolist() == [[5, 6, 7, EOS], [8, EOS, EOS, EOS]]
        assert canvases.ends.tolist() == [4, 2]

    def test_what_is_too_long_is_cut_off(self):
        canvases = OptionCanvases.of([[5, 6, 7], [8]], EOS, longest=3)
        assert canvases.ids.tolist() == [[5, 6, 7], [8, EOS, EOS]]
        assert canvases.ends.tolist() == [3, 2]

    def test_clamped_tokens_stand_before_every_text(self):
        canvases = OptionCanvases.of([[5], []], EOS, longest=9, clamped=[20, 21])
        assert canvases.ids.tolist() == [[20, 21, 5, EOS], [20, 21, EOS, EOS]]
        assert (canvases.clamped, canvases.ends.tolist()) == (2, [4, 3])


class TestPasses:
    @pytest.mark.parametrize("texts", [2, ROWS_PER_PASS, ROWS_PER_PASS + 1, 3 * ROWS_PER_PASS])
    def test_every_text_under_every_pattern(self, texts):
        canvases = OptionCanvases.of([[10 + number] * 3 for number in range(texts)], EOS, longest=9)
        scoring = Scoring(canvases, (ALL, HALF), VOCAB_SIZE)
        expected = scoring.passes_left
        assert scoring.next_pass(64) == Shape(PassKind.SCORE, 4, 64, min(texts, ROWS_PER_PASS))
        passes = run(scoring, by_token)
        assert len(passes) == expected == 2 * -(-texts // ROWS_PER_PASS)
        assert scoring.passes_left == 0
        scored = np.concatenate([inputs.scored_ids for inputs in passes])
        assert scored.tolist() == [*canvases.ids.tolist(), *canvases.ids.tolist()]

    def test_noise_is_the_same_for_all_texts(self):
        scoring = Scoring(OptionCanvases.of([[110] * 9, [120] * 5], EOS, longest=99), (ALL, HALF), VOCAB_SIZE)
        all_noise, half_noise = run(scoring, by_token)
        assert (all_noise.canvas[0] == all_noise.canvas[1]).all()
        is_noise = half_noise.canvas != half_noise.scored_ids
        assert (is_noise[0] == is_noise[1]).all() and is_noise[0].sum() == 5
        assert (half_noise.canvas[0] == half_noise.canvas[1])[is_noise[0]].all()

    def test_clamped_tokens_are_always_seen(self):
        canvases = OptionCanvases.of([[10, 11], [12]], EOS, longest=99, clamped=[30, 31, 32])
        for inputs in run(Scoring(canvases, (ALL, HALF), VOCAB_SIZE), by_token):
            assert inputs.canvas[:, :3].tolist() == [[30, 31, 32]] * 2

    def test_asking_again_changes_nothing(self):
        scoring = Scoring(OptionCanvases.of([[10], [11]], EOS, longest=9), (ALL,), VOCAB_SIZE)
        assert np.array_equal(scoring.inputs().canvas, scoring.inputs().canvas)


class TestScores:
    def test_they_are_means_over_the_noised_tokens_up_to_the_end_of_the_text(self):
        canvases = OptionCanvases.of([[30, 60, 89], [40]], EOS, longest=9, clamped=[7])
        scoring = Scoring(canvases, (ALL,), VOCAB_SIZE)
        run(scoring, by_token)
        assert scoring.scores(1).tolist() == [(30 + 60 + 89 + EOS) / 4, (40 + EOS) / 2]

    def test_they_are_of_the_rounds_that_are_asked_for(self):
        scoring = Scoring(OptionCanvases.of([[30], [40]], EOS, longest=9), (ALL, ALL), VOCAB_SIZE)
        scoring.take(np.full((2, 2), -1.0, dtype=np.float32))
        scoring.take(np.full((2, 2), -3.0, dtype=np.float32))
        assert scoring.scores(1).tolist() == [-1.0, -1.0]
        assert scoring.scores(2).tolist() == [-2.0, -2.0]
