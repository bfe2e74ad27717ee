"""One canvas, against hand-made answers of the step graph."""

from dataclasses import replace

import numpy as np
import pytest

from runtime.denoise import Canvas, Clamp, DenoiseSettings, StepOutput, denoise
from runtime.rng import CanvasDraws
from runtime.samplers.fast import FastSampler
from runtime.samplers.reference import ReferenceSampler, temperature_at

LENGTH = 4
SETTINGS = DenoiseSettings(
    vocab_size=50,
    hidden_size=2,
    eos_token_ids=frozenset(),
    sampler=ReferenceSampler(),
    steps=6,
    entropy_bound=0.1,
    t_min=0.4,
    t_max=0.8,
    stability_threshold=1,
    confidence_threshold=0.005,
)


def answer(argmax, entropy=0.0, sampled=None, soft=0.0):
    return StepOutput(
        sampled=np.array([argmax if sampled is None else sampled], dtype=np.int64),
        argmax=np.array([argmax], dtype=np.int64),
        entropy=np.broadcast_to(np.float32(entropy), (1, LENGTH)).copy(),
        soft_embeddings=np.full((1, LENGTH, SETTINGS.hidden_size), soft, dtype=np.float32),
    )


def new_canvas(**changes):
    return Canvas(replace(SETTINGS, **changes), CanvasDraws(seed=3), Clamp.none(LENGTH))


class TestCanvas:
    def test_the_first_step_reads_noise_and_no_self_conditioning(self):
        inputs = new_canvas().inputs()
        assert inputs.canvas.tolist() == [CanvasDraws(3).initial_canvas(LENGTH, 50).tolist()]
        assert inputs.uniform.tolist() == [CanvasDraws(3).uniform(0, LENGTH).tolist()]
        assert inputs.temperature.tolist() == [np.float32(0.8)]
        assert inputs.soft_embeddings.shape == (1, LENGTH, 2)
        assert not inputs.soft_embeddings.any()

    def test_accepted_draws_stay_and_the_rest_is_new_noise(self):
        canvas = new_canvas()
        result = canvas.advance(answer([1, 2, 3, 4], entropy=[0.01, 2.0, 0.02, 2.0], sampled=[11, 12, 13, 14]))
        noise = CanvasDraws(3).renoise(0, LENGTH, 50)
        assert result.accepted.tolist() == [True, True, True, False]
        assert result.next_canvas.tolist() == [11, 12, 13, noise[3]]
        assert canvas.inputs().canvas.tolist() == [result.next_canvas.tolist()]
        assert canvas.argmax.tolist() == [1, 2, 3, 4]

    def test_each_step_has_its_own_draws_temperature_and_self_conditioning(self):
        canvas = new_canvas()
        canvas.advance(answer([1, 2, 3, 4], entropy=1.0, soft=0.25))
        inputs = canvas.inputs()
        assert (inputs.soft_embeddings == 0.25).all()
        assert inputs.uniform.tolist() == [CanvasDraws(3).uniform(1, LENGTH).tolist()]
        assert inputs.temperature[0] == temperature_at(5, SETTINGS)

    def test_a_step_reports_what_it_did(self):
        canvas = new_canvas()
        before = canvas.tokens
        result = canvas.advance(answer([1, 2, 3, 4], entropy=[0.5, 1.5, 1.0, 1.0], sampled=[5, 6, 7, 8]))
        assert (result.step, result.temperature, result.stopped) == (6, pytest.approx(0.8), False)
        assert result.mean_entropy == pytest.approx(1.0)
        assert (result.canvas.tolist(), result.sampled.tolist()) == (before.tolist(), [5, 6, 7, 8])

    def test_it_stops_when_the_argmax_is_stable_and_the_entropy_low(self):
        canvas = new_canvas()
        stops = [denoise(canvas, lambda _: answer([1, 2, 3, 4], entropy=0.001)).stopped for _ in range(2)]
        assert stops == [False, True]
        assert canvas.finished and canvas.steps_left == 4

    def test_low_entropy_alone_does_not_stop_it(self):
        canvas = new_canvas()
        for token in range(6):
            assert not canvas.finished
            canvas.advance(answer([token] * LENGTH, entropy=0.001))
        assert canvas.finished and not canvas.stopped

    def test_a_stable_argmax_alone_does_not_stop_it(self):
        canvas = new_canvas()
        results = [canvas.advance(answer([1, 2, 3, 4], entropy=0.006)) for _ in range(6)]
        assert not any(result.stopped for result in results)

    @pytest.mark.parametrize(("threshold", "steps_needed"), [(0, 1), (1, 2), (2, 3), (3, 4)])
    def test_stability_counts_the_earlier_argmaxes(self, threshold, steps_needed):
        canvas = new_canvas(stability_threshold=threshold)
        while not canvas.finished:
            canvas.advance(answer([1, 2, 3, 4], entropy=0.001))
        assert canvas.steps_done == steps_needed

    def test_a_change_starts_the_count_of_stable_argmaxes_again(self):
        canvas = new_canvas(stability_threshold=2)
        stops = [canvas.advance(answer([token] * LENGTH, entropy=0.001)).stopped for token in (1, 1, 2, 2, 2)]
        assert stops == [False, False, False, False, True]

    def test_the_result_is_the_last_argmax_and_not_the_draws(self):
        canvas = new_canvas(steps=1)
        canvas.advance(answer([1, 2, 3, 4], sampled=[5, 6, 7, 8]))
        assert canvas.finished
        assert canvas.argmax.tolist() == [1, 2, 3, 4]


class TestClampedCanvas:
    """Positions 0 and 2 are settled; the line may end from position 3 on."""

    END = 9
    CLAMP = Clamp(np.array([21, -1, 23, -1]), body=3)

    def canvas(self, **changes):
        settings = replace(SETTINGS, eos_token_ids=frozenset({self.END}), **changes)
        return Canvas(settings, CanvasDraws(seed=3), self.CLAMP)

    def test_settled_tokens_stand_in_the_noise_of_the_first_step(self):
        noise = CanvasDraws(3).initial_canvas(LENGTH, 50)
        assert self.canvas().inputs().canvas.tolist() == [[21, noise[1], 23, noise[3]]]

    def test_they_stay_whatever_the_model_says_and_count_as_certain(self):
        canvas = self.canvas()
        result = canvas.advance(answer([1, 2, 3, 4], entropy=5.0, sampled=[5, 6, 7, 8]))
        assert result.sampled.tolist() == [21, 6, 23, 8]
        assert result.argmax.tolist() == [21, 2, 23, 4]
        assert result.entropy.tolist() == [0.0, 5.0, 0.0, 5.0]
        assert result.accepted[[0, 2]].all()
        assert canvas.inputs().canvas[0, [0, 2]].tolist() == [21, 23]

    def test_an_end_token_between_them_is_not_accepted_and_ends_nothing(self):
        canvas = self.canvas(sampler=FastSampler(), steps=2)
        drawn = [5, self.END, 7, 8]
        result = canvas.advance(answer([1, self.END, 3, 4], [5.0, 0.0, 5.0, 3.0], drawn, soft=0.25))
        assert not result.accepted[1]
        # Behind an end token everything would have been accepted.
        assert not result.accepted[3]
        assert not result.stopped
        assert not canvas.inputs().soft_embeddings[0, 1].any()

    def test_an_end_token_behind_them_ends_the_line(self):
        result = self.canvas().advance(answer([1, 2, 3, self.END], entropy=0.0))
        assert result.accepted.all()
