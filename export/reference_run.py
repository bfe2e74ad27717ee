"""What transformers computes on given tokens and draws, recorded so that the model can go before a bundle is loaded."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from runtime.denoise import Floats, Ints

TEMPERATURE = 0.6


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt and a canvas behind it.

    Attributes:
        prompt: token ids [1, length].
        canvas: token ids [1, positions] that the first step starts from.
        scored_ids: token ids [1, positions] whose likelihood on `canvas` is compared.
        draws: float32 [steps, 1, positions], uniform from 0 to 1: where each step draws its tokens.
    """

    prompt: Ints
    canvas: Ints
    scored_ids: Ints
    draws: Floats


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One denoising step.

    Attributes:
        canvas: token ids [1, positions] that it started from.
        logits: float32 [1, positions, vocab], divided by the temperature.
        soft_embeddings: float32 [1, positions, hidden], the expected embedding.
    """

    canvas: Ints
    logits: torch.Tensor
    soft_embeddings: Floats


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything of one case.

    Attributes:
        key_values: keys and values of the prompt by layer, float32 [1, kv_heads, length, head_dim]; a sliding layer
            holds the end of them only.
        log_likelihood: float32 [1, positions], of the scored ids.
        steps: in order; each but the first starts from the tokens that the one before drew.
    """

    key_values: list[Floats]
    log_likelihood: Floats
    steps: tuple[RecordedStep, ...]


@torch.no_grad()
def record(model: Any, case: Case) -> Recording:
    """Run transformers' `model` on a case."""
    cache = model.model.encoder(input_ids=torch.from_numpy(case.prompt)).cache
    decoded = model(decoder_input_ids=torch.from_numpy(case.canvas), cache=cache)
    log_likelihood = taken(decoded.logits.log_softmax(dim=-1).numpy(), case.scored_ids)
    embeddings = model.model.decoder.embed_tokens
    steps: list[RecordedStep] = []
    canvas, logits = case.canvas, None
    for draws in case.draws:
        ids = torch.from_numpy(canvas)
        logits = model(decoder_input_ids=ids, cache=cache, self_conditioning_logits=logits).logits / TEMPERATURE
        soft_embeddings = logits.softmax(dim=-1) @ embeddings.weight * embeddings.embed_scale
        steps.append(RecordedStep(canvas, logits, soft_embeddings.numpy()))
        canvas = drawn(logits, draws)
    key_values = [tensor.numpy() for layer in cache.layers for tensor in (layer.keys, layer.values)]
    return Recording(key_values, log_likelihood, tuple(steps))


def drawn(logits: torch.Tensor, draws: Floats) -> Ints:
    """The tokens [1, positions] in whose shares of the distributions the draws lie."""
    shares = logits.double().softmax(dim=-1).cumsum(dim=-1)
    ids = torch.searchsorted(shares, torch.from_numpy(draws).double()[..., None]).squeeze(-1)
    result: Ints = ids.clamp(max=logits.shape[-1] - 1).numpy()
    return result


def taken(values: np.ndarray[Any, Any], ids: Ints) -> np.ndarray[Any, Any]:
    """The entries of values [..., positions, vocab] that ids [..., positions] point at."""
    return np.take_along_axis(values, ids[..., None], axis=-1)[..., 0]
