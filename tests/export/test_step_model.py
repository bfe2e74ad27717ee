"""The traced module itself, run by torch."""

import math

import pytest
import torch
from transformers import DiffusionGemmaForBlockDiffusion

from export.config import ExportOptions
from export.geometry import geometry_of
from export.lowering import lower
from export.step_model import StepModel
from tests.checkpoints import random_model, tiny_config


@pytest.fixture
def half_precision_checkpoint(tmp_path):
    """bfloat16 weights, and a hidden size whose square root bfloat16 cannot hold."""
    config = tiny_config("gelu_pytorch_tanh")
    config.text_config.hidden_size = 96
    random_model(config).to(torch.bfloat16).save_pretrained(tmp_path)
    return tmp_path


@torch.no_grad()
def test_a_bfloat16_checkpoint_computes_in_float32(half_precision_checkpoint):
    reference = DiffusionGemmaForBlockDiffusion.from_pretrained(half_precision_checkpoint, dtype=torch.float32)
    half = DiffusionGemmaForBlockDiffusion.from_pretrained(half_precision_checkpoint, dtype="auto")
    assert half.dtype == torch.bfloat16
    geometry = geometry_of(half.config)
    lower(half, ExportOptions(half_precision_checkpoint, half_precision_checkpoint, experts="fp32"))
    step = StepModel(half)
    assert {parameter.dtype for parameter in step.parameters()} == {torch.float32}
    assert step.embedding_scale == pytest.approx(math.sqrt(96), rel=1e-7)

    prompt, canvas = torch.arange(20, 29)[None], torch.arange(100, 116)[None]
    past = [torch.zeros(1, layer.kv_heads, 0, layer.head_dim) for layer in geometry.layers for _ in range(2)]
    one, none = torch.ones(1), torch.zeros(1, dtype=torch.long)
    *_, key_0, value_0, key_1, value_1, after_0, after_1 = step(
        prompt,
        torch.zeros(1, 9, 96),
        torch.tensor(False),
        none,
        torch.arange(0),
        one,
        torch.zeros(1, 0),
        none[None, :0],
        past,
    )
    assert after_0.shape == after_1.shape == (1, 9, 96)
    scored_ids = torch.arange(50, 66)[None]
    _, argmax, entropy, log_likelihood, soft_embeddings, *_ = step(
        canvas,
        torch.zeros(1, 16, 96),
        torch.tensor(True),
        none,
        torch.arange(16),
        one,
        torch.zeros(1, 16),
        scored_ids,
        [key_0, value_0, key_1, value_1],
    )
    expected = reference(prompt, decoder_input_ids=canvas)
    torch.testing.assert_close(key_1, expected.cache.layers[1].keys, rtol=0, atol=2e-5)
    assert argmax.tolist() == expected.logits.argmax(-1).tolist()
    categorical = torch.distributions.Categorical(logits=expected.logits)
    torch.testing.assert_close(entropy, categorical.entropy(), rtol=0, atol=1e-4)
    torch.testing.assert_close(log_likelihood, categorical.log_prob(scored_ids), rtol=0, atol=1e-4)
    embeddings = reference.model.decoder.embed_tokens
    torch.testing.assert_close(
        soft_embeddings, categorical.probs @ embeddings.weight * embeddings.embed_scale, rtol=0, atol=1e-4
    )


@torch.no_grad()
def test_draws_invert_the_distribution():
    """The first token whose cumulative probability exceeds the draw; tokens of probability 0 are never drawn."""
    model = random_model(tiny_config("gelu_pytorch_tanh"))
    step = StepModel(model)
    embedding = step.decoder.embed_tokens.weight
    embedding.zero_()
    embedding[[3, 50, 200]] = 1.0
    hidden = torch.ones(1, 5, 64)
    uniform = torch.tensor([[0.0, 0.3, 0.4, 0.7, 1 - 2**-24]])
    scored_ids = torch.tensor([[3, 50, 200, 3, 4]])
    sampled, argmax, entropy, log_likelihood, _ = step._sample(hidden, torch.full((1,), 0.1), uniform, scored_ids)
    assert sampled.tolist() == [[3, 3, 50, 200, 200]]
    assert argmax.tolist() == [[3] * 5]
    torch.testing.assert_close(entropy, torch.full((1, 5), math.log(3)))
    torch.testing.assert_close(log_likelihood[:, :4], torch.full((1, 4), -math.log(3)))
    assert log_likelihood[0, 4] < -100
