"""Quantised bundles against transformers with the weights that numpy dequantises."""

import numpy as np
import pytest
import torch

from tests.checkpoints import SLIDING_WINDOW, SPECIAL_TOKENS, VOCAB_SIZE, random_model, tiny_config
from tests.parity.generation import assert_same_line, palaver_lines, reference_lines

RELATIVE_TOLERANCE = 1e-3


@pytest.fixture(params=["int4_experts", "int8_linears"])
def quantised(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def prompt():
    return np.random.default_rng(4).integers(len(SPECIAL_TOKENS), VOCAB_SIZE, (1, 2 * SLIDING_WINDOW))


def relative_difference(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def test_keys_and_values(quantised, prompt):
    with torch.no_grad():
        cache = quantised.reference.model.encoder(input_ids=torch.from_numpy(prompt)).cache
    expected = [tensor.numpy() for layer in cache.layers for tensor in (layer.keys, layer.values)]
    for ours, theirs in zip(quantised.session.encode(prompt).arrays, expected, strict=True):
        assert relative_difference(ours[:, :, -theirs.shape[2] :], theirs) < RELATIVE_TOLERANCE


def test_two_canvases_step_by_step(quantised, settings, prompt):
    (reference,) = reference_lines(quantised.reference, prompt, [6], settings, canvases=2)
    (ours,) = palaver_lines(quantised.session, prompt, [reference], [6], settings)
    assert_same_line(ours, reference)


def test_the_original_weights_are_told_apart(int4_experts, prompt):
    """The tolerance is far below what quantisation changes: a bundle with other weights fails the comparison."""
    with torch.no_grad():
        cache = random_model(tiny_config()).model.encoder(input_ids=torch.from_numpy(prompt)).cache
    found, expected = int4_experts.session.encode(prompt).arrays[2], cache.layers[1].keys.numpy()
    assert relative_difference(found, expected) > 5 * RELATIVE_TOLERANCE
