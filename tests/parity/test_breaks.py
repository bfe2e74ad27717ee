"""The comparison can fail: one thing changed on one side, and the two sides no longer agree."""

import copy

import numpy as np
import pytest
import torch

from tests.checkpoints import SLIDING_WINDOW, SPECIAL_TOKENS, VOCAB_SIZE
from tests.parity.generation import assert_same_line, palaver_lines, reference_lines

PROMPT = np.random.default_rng(8).integers(len(SPECIAL_TOKENS), VOCAB_SIZE, (1, 2 * SLIDING_WINDOW))


def encoder_scalar(model):
    model.model.encoder.language_model.layers[0].layer_scalar.mul_(1.02)


def decoder_scalar(model):
    model.model.decoder.layers[0].layer_scalar.mul_(1.02)


def same_scalar_in_both_passes(model):
    model.model.encoder.language_model.layers[0].layer_scalar.copy_(model.model.decoder.layers[0].layer_scalar)


def sliding_window(model):
    model.config.text_config.sliding_window = SLIDING_WINDOW - 1


def per_expert_scale(model):
    """Of one expert: a norm takes away what all of them have in common."""
    model.model.decoder.layers[1].router.per_expert_scale[3] *= 1.2


def router_scale(model):
    model.model.decoder.layers[1].router.scale[5] *= 1.5


def swapped_gate_and_up(model):
    experts = model.model.decoder.layers[1].experts
    experts.gate_up_proj.copy_(experts.gate_up_proj.roll(experts.intermediate_dim, dims=1))


def self_conditioning(model):
    model.model.decoder.self_conditioning.pre_norm.weight.mul_(1.02)


def softcap(model):
    model.final_logit_softcapping = 29.5


@pytest.mark.parametrize(
    "change",
    [
        encoder_scalar,
        decoder_scalar,
        same_scalar_in_both_passes,
        sliding_window,
        per_expert_scale,
        router_scale,
        swapped_gate_and_up,
        self_conditioning,
        softcap,
    ],
)
def test_a_changed_reference_is_noticed(silu, settings, change):
    reference = copy.deepcopy(silu.reference)
    with torch.no_grad():
        change(reference)
    (changed,) = reference_lines(reference, PROMPT, [9], settings, canvases=2)
    (ours,) = palaver_lines(silu.session, PROMPT, [changed], [9], settings)
    with pytest.raises(AssertionError):
        assert_same_line(ours, changed)


def test_the_unchanged_copy_agrees(silu, settings):
    (unchanged,) = reference_lines(copy.deepcopy(silu.reference), PROMPT, [9], settings, canvases=2)
    (ours,) = palaver_lines(silu.session, PROMPT, [unchanged], [9], settings)
    assert_same_line(ours, unchanged)
