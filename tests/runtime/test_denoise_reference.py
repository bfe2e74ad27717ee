"""The host's share of a denoising step, against the classes of transformers that it follows."""

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

from runtime.denoise import Canvas, DenoiseSettings, StepOutput, accept, temperature_at
from runtime.rng import CanvasDraws

VOCAB_SIZE = 12
LENGTH = 8
SETTINGS = DenoiseSettings(
    vocab_size=VOCAB_SIZE,
    hidden_size=1,
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
    canvas = Canvas(replace(SETTINGS, stability_threshold=threshold), CanvasDraws(seed), LENGTH)
    for step_logits in logits:
        argmax = step_logits.argmax(dim=-1)
        result = canvas.advance(
            StepOutput(
                argmax.numpy(), argmax.numpy(), entropies(step_logits).numpy(), np.zeros((1, LENGTH, 1), np.float32)
            )
        )
        assert result.stopped == bool(criteria(argmax, step_logits))
