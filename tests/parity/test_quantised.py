"""Quantised bundles against transformers with the weights that numpy dequantises."""

import numpy as np
import pytest
import torch

from runtime.denoise import StepInputs
from tests.checkpoints import CANVAS_LENGTH, SLIDING_WINDOW, SPECIAL_TOKENS, VOCAB_SIZE, random_model, tiny_config
from tests.parity.generation import assert_same_line, palaver_lines, reference_lines

RELATIVE_TOLERANCE = 1e-3


@pytest.fixture(params=["int4_experts", "int8_linears", "int4_linears"])
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


def test_entropy_and_soft_embeddings_of_a_step(quantised, prompt):
    random = np.random.default_rng(5)
    canvas = random.integers(0, VOCAB_SIZE, (1, CANVAS_LENGTH))
    inputs = StepInputs(
        canvas=canvas,
        soft_embeddings=np.zeros((1, CANVAS_LENGTH, 64), dtype=np.float32),
        temperature=np.array([0.7], dtype=np.float32),
        uniform=random.random((1, CANVAS_LENGTH), dtype=np.float32),
    )
    output = quantised.session.denoise(inputs, quantised.session.encode(prompt))
    with torch.no_grad():
        logits = quantised.reference(torch.from_numpy(prompt), decoder_input_ids=torch.from_numpy(canvas)).logits / 0.7
        embeddings = quantised.reference.model.decoder.embed_tokens
        soft_embeddings = logits.softmax(-1) @ embeddings.weight * embeddings.embed_scale
    entropy = torch.distributions.Categorical(logits=logits).entropy()
    assert relative_difference(output.entropy, entropy.numpy()) < RELATIVE_TOLERANCE
    assert relative_difference(output.soft_embeddings, soft_embeddings.numpy()) < RELATIVE_TOLERANCE
    assert output.argmax.tolist() == logits.argmax(-1).tolist()


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
