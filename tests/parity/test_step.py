"""Single denoising steps: the numbers that the step graph gives back, soft embeddings among them.

`generate` cannot show the length of a soft embedding, because a norm follows it in the next step.
"""

import numpy as np
import pytest
import torch

from runtime.denoise import StepInputs
from runtime.score import ScoreInputs
from tests.checkpoints import CANVAS_LENGTH, SLIDING_WINDOW, SPECIAL_TOKENS, VOCAB_SIZE

TEMPERATURES = (0.8, 0.45)


def relative_difference(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


EACH_MODEL = pytest.mark.parametrize(
    ("name", "tolerance"), [("silu", 1e-5), ("gelu", 1e-5), ("int4_experts", 1e-3), ("int8_linears", 1e-3)]
)


@EACH_MODEL
@torch.no_grad()
def test_two_steps_of_two_rows_at_two_temperatures(request, name, tolerance):
    pair = request.getfixturevalue(name)
    random = np.random.default_rng(5)
    prompt = random.integers(len(SPECIAL_TOKENS), VOCAB_SIZE, (2, 2 * SLIDING_WINDOW))
    prefix = pair.session.encode(prompt)
    cache = pair.reference.model.encoder(input_ids=torch.from_numpy(prompt)).cache
    embeddings = pair.reference.model.decoder.embed_tokens

    logits, soft_embeddings = None, np.zeros((2, CANVAS_LENGTH, 64), dtype=np.float32)
    for _ in range(2):
        canvas = random.integers(0, VOCAB_SIZE, (2, CANVAS_LENGTH))
        uniform = random.random((2, CANVAS_LENGTH), dtype=np.float32)
        temperature = np.array(TEMPERATURES, dtype=np.float32)
        output = pair.session.denoise(StepInputs(canvas, soft_embeddings, temperature, uniform), prefix)

        raw = pair.reference(
            decoder_input_ids=torch.from_numpy(canvas), cache=cache, self_conditioning_logits=logits
        ).logits
        logits = raw / torch.from_numpy(temperature)[:, None, None]
        expected = torch.distributions.Categorical(logits=logits)
        assert output.argmax.tolist() == logits.argmax(-1).tolist()
        assert relative_difference(output.entropy, expected.entropy().numpy()) < tolerance
        soft_embeddings = output.soft_embeddings
        expected_embeddings = expected.probs @ embeddings.weight * embeddings.embed_scale
        assert relative_difference(soft_embeddings, expected_embeddings.numpy()) < tolerance


@EACH_MODEL
@torch.no_grad()
def test_the_likelihood_of_given_tokens(request, name, tolerance):
    pair = request.getfixturevalue(name)
    random = np.random.default_rng(6)
    prompt = random.integers(len(SPECIAL_TOKENS), VOCAB_SIZE, (2, 2 * SLIDING_WINDOW))
    canvas, scored_ids = random.integers(0, VOCAB_SIZE, (2, 2, CANVAS_LENGTH))

    found = pair.session.score(ScoreInputs(canvas, scored_ids), pair.session.encode(prompt))
    cache = pair.reference.model.encoder(input_ids=torch.from_numpy(prompt)).cache
    logits = pair.reference(decoder_input_ids=torch.from_numpy(canvas), cache=cache).logits
    expected = torch.distributions.Categorical(logits=logits).log_prob(torch.from_numpy(scored_ids)).numpy()
    assert found.shape == (2, CANVAS_LENGTH) and found.dtype == np.float32
    assert relative_difference(found, expected) < tolerance
