"""The reference sampler, against the classes of transformers that it follows."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.diffusion_gemma.generation_diffusion_gemma import (
    EntropyBoundSampler,
    EntropyBoundSamplerConfig,
    LinearTemperatureScheduleLogitsProcessor,
    StableAndConfidentStoppingCriteria,
)

from runtime.denoise import Canvas, Clamp, DenoiseSettings, StepOutput
from runtime.rng import CanvasDraws
from runtime.samplers.reference import ReferenceSampler, accept, temperature_at

VOCAB_SIZE = 12
LENGTH = 8
SETTINGS = DenoiseSettings(
    vocab_size=VOCAB_SIZE,
    hidden_size=1,
    eos_token_ids=frozenset(),
    sampler=ReferenceSampler(),
    steps=8,
    entropy_bound=0.1,
    t_min=0.4,
    t_max=0.8,
    stability_threshold=1,
    confidence_threshold=0.05,
)


def entropies(logits):
    return torch.distributions.Categorical(logits=logits).entropy()


def random_logits(seed, steps, sharpness):
    generator = torch.Generator().manual_seed(seed)
    spread = 10 ** (torch.rand((steps, 1, LENGTH, 1), generator=generator) * sharpness)
    return torch.randn((steps, 1, LENGTH, VOCAB_SIZE), generator=generator) * spread


class TestAccept:
    def test_the_lowest_entropies_are_kept_while_those_before_them_fit_the_bound(self):
        entropy = np.array([0.5, 0.04, 0.03, 0.05, 0.02], dtype=np.float32)
        # In ascending order the sums before each are 0, 0.02, 0.05, 0.09, 0.14.
        assert accept(entropy, 0.1).tolist() == [False, True, True, True, True]

    def test_the_first_is_kept_whatever_its_entropy(self):
        assert accept(np.array([9.0, 7.0, 8.0], dtype=np.float32), 0.1).tolist() == [False, True, False]

    def test_certain_positions_and_one_more_are_kept(self):
        assert accept(np.array([0.0] * 9 + [5.0, 6.0], dtype=np.float32), 0.1).sum() == 10

    def test_equal_entropies_are_taken_from_the_left(self):
        entropy = np.tile(np.array([1.0, 0.04], dtype=np.float32), 32)
        assert np.flatnonzero(accept(entropy, 0.1)).tolist() == [1, 3, 5]

    def test_rows_are_independent(self):
        rows = np.array([[0.0, 3.0, 2.0], [3.0, 0.2, 2.0]], dtype=np.float32)
        assert accept(rows, 0.1).tolist() == [accept(row, 0.1).tolist() for row in rows]


class TestTemperature:
    def test_it_falls_in_a_straight_line_from_t_max_towards_t_min(self):
        temperatures = [float(temperature_at(step, replace(SETTINGS, steps=6))) for step in range(6, 0, -1)]
        assert temperatures == pytest.approx(
            [0.8, 0.4 + 0.4 * 5 / 6, 0.4 + 0.4 * 4 / 6, 0.6, 0.4 + 0.4 * 2 / 6, 0.4 + 0.4 / 6]
        )

    def test_the_schedule_spans_the_steps_that_are_planned(self):
        assert temperature_at(2, replace(SETTINGS, steps=2)) == np.float32(0.8)


@given(st.integers(0, 2**32), st.floats(0.0, 3.0), st.sampled_from([0.01, 0.1, 1.0, 5.0]))
@settings(max_examples=200, deadline=None)
def test_the_same_positions_are_accepted(seed, sharpness, bound):
    logits = random_logits(seed, 1, sharpness)[0]
    sampler = EntropyBoundSampler(EntropyBoundSamplerConfig(bound), LENGTH, VOCAB_SIZE, max_denoising_steps=1)
    canvas = torch.zeros((1, LENGTH), dtype=torch.long)
    sampler.accept_canvas(canvas, canvas, logits, 1)
    assert accept(entropies(logits).numpy(), bound).tolist() == sampler.accepted_token_mask.tolist()


@pytest.mark.parametrize("length", [8, 64, 256])
@pytest.mark.parametrize("entropy", [0.005, 0.04, 0.0999, 0.1, 0.15])
def test_sums_that_meet_the_bound_exactly_are_rounded_as_torch_rounds_them(entropy, length):
    values = torch.full((length,), entropy)
    kept = torch.cumsum(values, dim=-1) - values <= 0.1
    assert accept(values.numpy(), 0.1).tolist() == kept.tolist()


@given(st.integers(1, 1000).flatmap(lambda steps: st.tuples(st.integers(1, steps), st.just(steps))))
def test_temperatures_are_the_same_to_the_last_bit(step_of_steps):
    step, steps = step_of_steps
    scale = LinearTemperatureScheduleLogitsProcessor(SETTINGS.t_min, SETTINGS.t_max, steps)
    expected = 1 / scale(None, torch.ones(1, dtype=torch.float64), torch.tensor(step, dtype=torch.int32))
    assert temperature_at(step, replace(SETTINGS, steps=steps)) == np.float32(expected)


@given(st.integers(0, 2**32), st.integers(0, 3), st.lists(st.booleans(), min_size=8, max_size=8))
@settings(max_examples=200, deadline=None)
def test_canvases_stop_at_the_same_step(seed, threshold, repeats):
    logits = random_logits(seed, SETTINGS.steps, 3.0)
    for step in range(1, SETTINGS.steps):
        if repeats[step]:
            logits[step] = logits[step - 1] * 1.5
    criteria = StableAndConfidentStoppingCriteria(threshold, SETTINGS.confidence_threshold)
    canvas = Canvas(replace(SETTINGS, stability_threshold=threshold), CanvasDraws(seed), Clamp.none(LENGTH))
    for step_logits in logits:
        argmax = step_logits.argmax(dim=-1)
        result = canvas.advance(
            StepOutput(
                argmax.numpy(), argmax.numpy(), entropies(step_logits).numpy(), np.zeros((1, LENGTH, 1), np.float32)
            )
        )
        assert result.stopped == bool(criteria(argmax, step_logits))
