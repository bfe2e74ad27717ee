"""Every denoising step of transformers' `generate`: canvas, draws, argmax, entropy, accepted positions, stop."""

from dataclasses import replace

import numpy as np
import pytest

from tests.checkpoints import SLIDING_WINDOW, SPECIAL_TOKENS, VOCAB_SIZE
from tests.parity.generation import assert_same_line, palaver_lines, reference_lines


def random_prompt(length, seed=0):
    """Of ordinary tokens: a special one stands for an image, and transformers would ask for the picture."""
    return np.random.default_rng([seed, length]).integers(len(SPECIAL_TOKENS), VOCAB_SIZE, (1, length))


@pytest.mark.parametrize("length", [1, 5, SLIDING_WINDOW - 1, SLIDING_WINDOW, SLIDING_WINDOW + 1, 3 * SLIDING_WINDOW])
def test_three_canvases_behind_prompts_shorter_and_longer_than_the_window(pair, settings, length):
    prompt = random_prompt(length)
    (reference,) = reference_lines(pair.reference, prompt, [length], settings, canvases=3)
    (ours,) = palaver_lines(pair.session, prompt, [reference], [length], settings)
    assert_same_line(ours, reference)


def test_two_canvases_and_one(pair, settings):
    prompt = random_prompt(7)
    for canvases in (1, 2):
        (reference,) = reference_lines(pair.reference, prompt, [3], settings, canvases)
        (ours,) = palaver_lines(pair.session, prompt, [reference], [3], settings)
        assert len(ours) == canvases
        assert_same_line(ours, reference)


@pytest.mark.parametrize(
    "change",
    [
        {"entropy_bound": 1.5},
        {"confidence_threshold": 1e-9},
        {"stability_threshold": 2, "confidence_threshold": 0.5, "entropy_bound": 1.0},
        {"stability_threshold": 0, "confidence_threshold": 0.2},
        {"t_min": 0.1, "t_max": 1.7, "steps": 5},
    ],
    ids=["accepts many", "never confident", "stable twice", "confidence only", "another schedule"],
)
def test_every_setting_of_the_sampler(silu, settings, change):
    settings = replace(settings, **change)
    prompt = random_prompt(9)
    (reference,) = reference_lines(silu.reference, prompt, [11], settings, canvases=2)
    (ours,) = palaver_lines(silu.session, prompt, [reference], [11], settings)
    assert_same_line(ours, reference)


@pytest.mark.parametrize(("long", "short"), [(9, 4), (40, 21), (12, 1)])
def test_a_left_padded_batch_of_two_equals_each_row_alone(pair, settings, long, short):
    padding = long - short
    rows = [random_prompt(long, seed=1), random_prompt(short, seed=2)]
    batch = np.concatenate([rows[0], np.pad(rows[1], ((0, 0), (padding, 0)))])
    seeds = [21, 22]
    mask = np.ones_like(batch)
    mask[1, :padding] = 0

    references = reference_lines(pair.reference, batch, seeds, settings, 2, attention_mask=mask)
    together = palaver_lines(pair.session, batch, references, seeds, settings, pad_length=np.array([0, padding]))
    for line, reference, row, seed in zip(together, references, rows, seeds, strict=True):
        assert_same_line(line, reference)
        (alone,) = palaver_lines(pair.session, row, [reference], [seed], settings)
        assert_same_line(line, alone)


def test_the_comparison_sees_varied_steps(silu, settings):
    """If every step accepted everything, or every canvas ran to its end, the tests above would prove little."""
    lines = [reference_lines(silu.reference, random_prompt(n), [n], settings, 3)[0] for n in (1, 5, 17)]
    canvases = [steps for line in lines for steps in line]
    accepted = [int(step.accepted.sum()) for steps in canvases for step in steps]
    assert min(accepted) < 8 and len(set(accepted)) > 8
    assert len({len(steps) for steps in canvases}) > 2
    assert any(steps[-1].stopped for steps in canvases)
    assert max(step.entropy.max() for steps in canvases for step in steps) > 0.5
