"""The traced module itself, run by torch."""

import math

import torch

from export.lowered_embedding import FullEmbedding
from export.step_model import StepModel
from tests.checkpoints import random_model, tiny_config


@torch.no_grad()
def test_draws_invert_the_distribution():
    """The first token whose cumulative probability exceeds the draw; tokens of probability 0 are never drawn."""
    model = random_model(tiny_config("gelu_pytorch_tanh"))
    model.model.decoder.embed_tokens = FullEmbedding(model.model.decoder.embed_tokens)
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
