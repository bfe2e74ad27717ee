"""transformers and the finished bundle side by side, on the same tokens and the same draws."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from export.checkpoint import Checkpoint, load_model
from export.config import ExportOptions
from export.errors import ExportError
from export.optimum_config import DiffusionGemmaStepConfig
from export.reference_run import TEMPERATURE, Case, RecordedStep, Recording, record, taken
from export.stored_weights import use_stored_weights
from runtime.bundle import load_bundle
from runtime.denoise import Floats, StepInputs, StepOutput
from runtime.score import ScoreInputs
from runtime.session import Prefix, StepSession

STEPS = 3
SHORT_CANVAS = 16
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
    cases = list(_cases(checkpoint.config))
    recordings = _record(checkpoint, options, cases)  # transformers' model is gone before the bundle takes its memory
    session = StepSession(load_bundle(folder))
    pairs = zip(cases, recordings, strict=True)
    found = np.array([_compare(session, case, recording) for case, recording in pairs]).max(axis=0)
    key_value, log_likelihood, entropy, soft_embeddings, tokens = found.tolist()
    quantised = {options.experts, options.linear, options.embeddings} != {"fp32"}
    return VerifyReport(
        prompts=tuple(sorted({case.prompt.shape[1] for case in cases})),
        canvases=tuple(sorted({case.canvas.shape[1] for case in cases})),
        steps=STEPS,
        key_value=key_value,
        log_likelihood=log_likelihood,
        entropy=entropy,
        soft_embeddings=soft_embeddings,
        tokens=tokens,
        limit=QUANTISED_TOLERANCE if quantised else FP32_TOLERANCE,
    )


def _cases(config: Any) -> Iterator[Case]:
    text = config.text_config
    longest = text.max_position_embeddings - config.canvas_length
    prompts = sorted({min(5, longest), min(text.sliding_window + 5, longest)})
    canvases = sorted({min(SHORT_CANVAS, config.canvas_length), config.canvas_length})
    for prompt_length, positions in itertools.product(prompts, canvases):
        random = np.random.default_rng(prompt_length)
        prompt, canvas, scored_ids = (
            random.integers(0, text.vocab_size, (1, length)) for length in (prompt_length, positions, positions)
        )
        yield Case(prompt, canvas, scored_ids, random.random((STEPS, 1, positions), dtype=np.float32))


def _record(checkpoint: Checkpoint, options: ExportOptions, cases: Sequence[Case]) -> list[Recording]:
    reference = load_model(checkpoint, torch.float32)
    use_stored_weights(reference, options)
    return [record(reference, case) for case in cases]


def _compare(session: StepSession, case: Case, recording: Recording) -> tuple[float, ...]:
    """Largest differences in one case, in the order of the report."""
    prefix = session.encode(case.prompt)
    log_likelihood = session.score(ScoreInputs(case.canvas, case.scored_ids), prefix)
    key_value = _key_value_difference(prefix, recording.key_values)
    differences = [(key_value, _relative(log_likelihood, recording.log_likelihood), 0.0, 0.0, 0.0)]

    soft_embeddings = np.zeros_like(recording.steps[0].soft_embeddings)
    temperature = np.full(1, TEMPERATURE, dtype=np.float32)
    for step, draws in zip(recording.steps, case.draws, strict=True):
        output = session.denoise(StepInputs(step.canvas, soft_embeddings, temperature, draws), prefix)
        differences.append((0.0, 0.0, *_step_differences(output, step, draws)))
        soft_embeddings = output.soft_embeddings
    return tuple(np.array(differences).max(axis=0).tolist())


def _key_value_difference(prefix: Prefix, expected: Sequence[Floats]) -> float:
    # transformers keeps only the end of a sliding layer's prefix.
    pairs = [(ours[:, :, -theirs.shape[2] :], theirs) for ours, theirs in zip(prefix.arrays, expected, strict=True)]
    return max(_relative(ours, theirs) for ours, theirs in pairs)


def _step_differences(output: StepOutput, step: RecordedStep, draws: Floats) -> tuple[float, float, float]:
    entropy = torch.distributions.Categorical(logits=step.logits).entropy().numpy()
    return (
        float(np.abs(output.entropy - entropy).max()),
        _relative(output.soft_embeddings, step.soft_embeddings),
        _token_difference(output, step.logits.double().softmax(dim=-1).numpy(), draws),
    )


def _token_difference(output: StepOutput, probabilities: np.ndarray[Any, Any], uniform: Floats) -> float:
    """How far the tokens are from being right; rounding may flip two tokens that are as good as equal."""
    chosen = taken(probabilities, output.argmax)
    argmax = probabilities.max(axis=-1) - chosen
    above = taken(probabilities.cumsum(axis=-1), output.sampled)
    below = above - taken(probabilities, output.sampled)
    sampled = np.maximum(np.maximum(below - uniform, uniform - above), 0.0)
    return float(max(argmax.max(), sampled.max()))


def _relative(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
