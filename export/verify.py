"""transformers and the finished bundle side by side, on the same tokens and the same draws."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from export.checkpoint import Checkpoint, load_model
from export.config import ExportOptions
from export.errors import ExportError
from export.optimum_config import DiffusionGemmaStepConfig
from export.stored_weights import use_stored_weights
from runtime.bundle import load_bundle
from runtime.denoise import Floats, Ints, StepInputs, StepOutput
from runtime.score import ScoreInputs
from runtime.session import Prefix, StepSession

STEPS = 3
SHORT_CANVAS = 16
TEMPERATURE = 0.6
FP32_TOLERANCE = float(DiffusionGemmaStepConfig.ATOL_FOR_VALIDATION)
QUANTISED_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Largest differences that were found, and the limit that each had to stay below.

    Attributes:
        prompts: lengths of the encoded prompts, in tokens.
        canvases: lengths of the canvases behind each of them.
        steps: denoising steps of each canvas.
        key_value: of a key or value, relative to the largest in its tensor.
        log_likelihood: of any token, relative to the largest.
        entropy: nats.
        soft_embeddings: of the expected embedding, relative to the largest.
        tokens: by how much the probability of a differing argmax falls short of the best one, or a draw lies outside
            the differing sample's share of the distribution; 0 where all tokens are equal.
        limit: what each of them had to stay below.
    """

    prompts: tuple[int, ...]
    canvases: tuple[int, ...]
    steps: int
    key_value: float
    log_likelihood: float
    entropy: float
    soft_embeddings: float
    tokens: float
    limit: float

    @property
    def largest(self) -> float:
        return max(self.key_value, self.log_likelihood, self.entropy, self.soft_embeddings, self.tokens)


def verify(folder: Path, checkpoint: Checkpoint, options: ExportOptions) -> VerifyReport:
    """Compare the bundle in `folder` with transformers, which gets the weights as the bundle stores them.

    A short prompt and one longer than the sliding window are encoded, and a few denoising steps are taken behind each,
    of a short canvas and of a whole one.

    Raises:
        ExportError: a difference reaches the limit.
        BundleError: the bundle cannot be loaded.
    """
    report = _measure(folder, checkpoint, options)
    if not report.largest < report.limit:  # written so that NaN fails too
        raise ExportError(
            f"the bundle does not compute what transformers does: largest differences {describe(report)}",
            "Use the versions of the extra `export`; if they are in use, this is a fault of the exporter",
            code="not-exact",
        )
    return report


def describe(report: VerifyReport) -> str:
    """The differences in words, one line."""
    return (
        f"keys/values {report.key_value:.1e}, entropy {report.entropy:.1e} nats, "
        f"log likelihood {report.log_likelihood:.1e}, "
        f"soft embeddings {report.soft_embeddings:.1e}, tokens {report.tokens:.1e} (limit {report.limit:.0e})"
    )


def _measure(folder: Path, checkpoint: Checkpoint, options: ExportOptions) -> VerifyReport:
    """A function of its own, so that the graph's files are closed again when a mismatch has them removed."""
    session = StepSession(load_bundle(folder))
    reference = load_model(checkpoint, torch.float32)
    use_stored_weights(reference, options)

    text = checkpoint.config.text_config
    longest = text.max_position_embeddings - checkpoint.config.canvas_length
    prompts = tuple(sorted({min(5, longest), min(text.sliding_window + 5, longest)}))
    canvases = tuple(sorted({min(SHORT_CANVAS, session.geometry.canvas_length), session.geometry.canvas_length}))
    pairs = itertools.product(prompts, canvases)
    found = np.array([_compare(session, reference, *lengths) for lengths in pairs]).max(axis=0)
    key_value, log_likelihood, entropy, soft_embeddings, tokens = found.tolist()
    quantised = {options.experts, options.linear, options.embeddings} != {"fp32"}
    return VerifyReport(
        prompts=prompts,
        canvases=canvases,
        steps=STEPS,
        key_value=key_value,
        log_likelihood=log_likelihood,
        entropy=entropy,
        soft_embeddings=soft_embeddings,
        tokens=tokens,
        limit=QUANTISED_TOLERANCE if quantised else FP32_TOLERANCE,
    )


@torch.no_grad()
def _compare(session: StepSession, reference: Any, prompt_length: int, canvas_length: int) -> tuple[float, ...]:
    """Largest differences over one prompt and a canvas behind it, in the order of the report."""
    geometry = session.geometry
    random = np.random.default_rng(prompt_length)
    prompt = random.integers(0, geometry.vocab_size, (1, prompt_length))
    canvas = random.integers(0, geometry.vocab_size, (1, canvas_length))

    cache = reference.model.encoder(input_ids=torch.from_numpy(prompt)).cache
    prefix = session.encode(prompt)
    scored_ids = random.integers(0, geometry.vocab_size, canvas.shape)
    log_likelihood = session.score(ScoreInputs(canvas, scored_ids), prefix)
    decoded = reference(decoder_input_ids=torch.from_numpy(canvas), cache=cache)
    expected = _taken(decoded.logits.log_softmax(dim=-1).numpy(), scored_ids)
    differences = [(_key_value_difference(prefix, cache), _relative(log_likelihood, expected), 0.0, 0.0, 0.0)]

    logits, soft_embeddings = None, np.zeros((1, canvas_length, geometry.hidden_size), dtype=np.float32)
    for _ in range(STEPS):
        uniform = random.random(canvas.shape, dtype=np.float32)
        output = session.denoise(
            StepInputs(canvas, soft_embeddings, np.full(1, TEMPERATURE, dtype=np.float32), uniform), prefix
        )
        decoded = reference(decoder_input_ids=torch.from_numpy(canvas), cache=cache, self_conditioning_logits=logits)
        logits = decoded.logits / TEMPERATURE
        differences.append((0.0, 0.0, *_step_differences(output, reference, logits, uniform)))
        canvas, soft_embeddings = output.sampled, output.soft_embeddings
    return tuple(np.array(differences).max(axis=0).tolist())


def _key_value_difference(prefix: Prefix, cache: Any) -> float:
    expected = [tensor.numpy() for layer in cache.layers for tensor in (layer.keys, layer.values)]
    # transformers keeps only the end of a sliding layer's prefix.
    pairs = [(ours[:, :, -theirs.shape[2] :], theirs) for ours, theirs in zip(prefix.arrays, expected, strict=True)]
    return max(_relative(ours, theirs) for ours, theirs in pairs)


def _step_differences(
    output: StepOutput, reference: Any, logits: torch.Tensor, uniform: Floats
) -> tuple[float, float, float]:
    entropy = torch.distributions.Categorical(logits=logits).entropy().numpy()
    embeddings = reference.model.decoder.embed_tokens
    soft_embeddings = (logits.softmax(dim=-1) @ embeddings.weight * embeddings.embed_scale).numpy()
    return (
        float(np.abs(output.entropy - entropy).max()),
        _relative(output.soft_embeddings, soft_embeddings),
        _token_difference(output, logits.double().softmax(dim=-1).numpy(), uniform),
    )


def _token_difference(output: StepOutput, probabilities: np.ndarray[Any, Any], uniform: Floats) -> float:
    """How far the tokens are from being right; rounding may flip two tokens that are as good as equal."""
    chosen = _taken(probabilities, output.argmax)
    argmax = probabilities.max(axis=-1) - chosen
    above = _taken(probabilities.cumsum(axis=-1), output.sampled)
    below = above - _taken(probabilities, output.sampled)
    sampled = np.maximum(np.maximum(below - uniform, uniform - above), 0.0)
    return float(max(argmax.max(), sampled.max()))


def _taken(values: np.ndarray[Any, Any], ids: Ints) -> np.ndarray[Any, Any]:
    return np.take_along_axis(values, ids[..., None], axis=-1)[..., 0]


def _relative(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
