"""The causal pass: the same keys and values as transformers', in one pass or in chunks, padded or not."""

import numpy as np
import pytest
import torch

from tests.checkpoints import SLIDING_WINDOW, VOCAB_SIZE

RELATIVE_TOLERANCE = 1e-5
LENGTH = 3 * SLIDING_WINDOW


@pytest.fixture(scope="module")
def prompt():
    return np.random.default_rng(3).integers(0, VOCAB_SIZE, (1, LENGTH))


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=RELATIVE_TOLERANCE * np.abs(expected).max())


def test_keys_and_values_are_those_of_transformers(pair, prompt):
    prefix = pair.session.encode(prompt)
    with torch.no_grad():
        cache = pair.reference.model.encoder(input_ids=torch.from_numpy(prompt)).cache
    expected = [tensor.numpy() for layer in cache.layers for tensor in (layer.keys, layer.values)]
    # Of a sliding layer, transformers keeps what the window still reaches.
    assert [array.shape[2] for array in expected] == [SLIDING_WINDOW - 1] * 4 + [LENGTH] * 2
    for ours, theirs in zip(prefix.arrays, expected, strict=True):
        assert_close(ours[:, :, -theirs.shape[2] :], theirs)


def test_sliding_and_full_layers_differ_in_heads_and_head_size(silu, prompt):
    shapes = [array.shape for array in silu.session.encode(prompt).arrays]
    assert shapes == [(1, 2, LENGTH, 16)] * 4 + [(1, 1, LENGTH, 32)] * 2


def test_full_layers_have_no_value_projection(silu):
    layers = silu.reference.model.decoder.layers
    assert [layer.self_attn.v_proj is None for layer in layers] == [False, False, True]


@pytest.mark.parametrize("chunk", [1, 7, SLIDING_WINDOW, 30])
def test_chunked_encode_equals_one_shot(pair, prompt, chunk):
    prefix = None
    for start in range(0, LENGTH, chunk):
        prefix = pair.session.encode(prompt[:, start : start + chunk], prefix)
    for ours, expected in zip(prefix.arrays, pair.session.encode(prompt).arrays, strict=True):
        assert_close(ours, expected)


@pytest.mark.parametrize("chunk", [2, 5, 11])
def test_padding_may_lie_in_the_past_and_in_the_input(pair, prompt, chunk):
    """Chunks that end inside the padding, at its end, and behind it."""
    padding = np.array([5, 0])
    padded = np.concatenate([np.pad(prompt[:, : LENGTH - 5], ((0, 0), (5, 0))), prompt])
    prefix = None
    for start in range(0, LENGTH, chunk):
        part = padded[:, start : start + chunk]
        prefix = pair.session.encode(part, prefix, pad_length=padding if prefix is None else None)
    alone = pair.session.encode(prompt[:, : LENGTH - 5])
    for ours, expected in zip(prefix.arrays, alone.arrays, strict=True):
        assert_close(ours[:1, :, 5:], expected)


def test_queries_that_see_nothing_stay_finite(pair, prompt):
    """Padding attends to no key at all; its keys and values are never used, but must not become NaN."""
    prefix = pair.session.encode(prompt, pad_length=np.array([LENGTH - 1]))
    assert all(np.isfinite(array).all() for array in prefix.arrays)


def test_the_tokens_of_the_padding_do_not_matter(silu, prompt):
    other = prompt.copy()
    other[:, :6] = 7
    real, changed = (silu.session.encode(ids, pad_length=np.array([6])) for ids in (prompt, other))
    for ours, expected in zip(changed.arrays, real.arrays, strict=True):
        np.testing.assert_array_equal(ours[:, :, 6:], expected[:, :, 6:])
