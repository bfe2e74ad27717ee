"""One canvas: from noise to tokens, given somebody who runs the step graph.

The rules are those of transformers' `DiffusionGemmaGenerationMixin.generate`; each function names the one it follows.
Numbers that decide something are rounded as torch rounds them, so that both sides take the same decisions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DenoiseSettings:
    """What a canvas needs to know of model and request.

    Attributes:
        vocab_size: ids of the noise lie below it.
        hidden_size: width of a soft embedding.
        steps: most steps a canvas; the temperature schedule runs over exactly this many.
        entropy_bound: nats, bound of the sampler.
        t_min: temperature the schedule tends to.
        t_max: temperature of the first step.
        stability_threshold: earlier argmax canvases that must equal the present one; 0 asks for confidence only.
        confidence_threshold: nats, mean entropy to get below.
    """

    vocab_size: int
    hidden_size: int
    steps: int
    entropy_bound: float
    t_min: float
    t_max: float
    stability_threshold: int
    confidence_threshold: float


class Draws(Protocol):
    """Source of a canvas's randomness; `rng.CanvasDraws` in earnest, recorded draws in comparisons."""

    def initial_canvas(self, length: int, vocab_size: int) -> Ints: ...
    def uniform(self, step: int, length: int) -> Floats: ...
    def renoise(self, step: int, length: int, vocab_size: int) -> Ints: ...


@dataclass(frozen=True, slots=True)
class StepInputs:
    """What one denoising step reads, rows being canvases.

    Attributes:
        canvas: int64 [batch, length], token ids.
        soft_embeddings: float32 [batch, length, hidden], self-conditioning; zeros on the first step.
        temperature: float32 [batch].
        uniform: float32 [batch, length] in [0, 1), one for each position to sample with.
    """

    canvas: Ints
    soft_embeddings: Floats
    temperature: Floats
    uniform: Floats


@dataclass(frozen=True, slots=True)
class StepOutput:
    """What the step graph answers, rows being canvases.

    Attributes:
        sampled: int64 [batch, length], a draw from the tempered distribution of each position.
        argmax: int64 [batch, length], its most probable token.
        entropy: float32 [batch, length], its entropy in nats.
        soft_embeddings: float32 [batch, length, hidden], its expected embedding, for the next step.
    """

    sampled: Ints
    argmax: Ints
    entropy: Floats
    soft_embeddings: Floats


@dataclass(frozen=True, slots=True)
class StepResult:
    """One finished denoising step of one canvas; arrays are [length].

    Attributes:
        step: steps that remained when this one began, as the reference counts: `steps` first, 1 last.
        temperature: of this step.
        canvas: int64, the tokens that went in.
        sampled: int64, the draws.
        argmax: int64, the draft: what the line would be if it ended here.
        entropy: float32, nats.
        accepted: bool, positions whose draw was kept.
        next_canvas: int64, draws where accepted, fresh noise elsewhere.
        mean_entropy: nats.
        stopped: stable and confident; no further step is needed.
    """

    step: int
    temperature: float
    canvas: Ints
    sampled: Ints
    argmax: Ints
    entropy: Floats
    accepted: Mask
    next_canvas: Ints
    mean_entropy: float
    stopped: bool


def temperature_at(step: int, settings: DenoiseSettings) -> np.float32:
    """Temperature with `step` steps left, this one included (`LinearTemperatureScheduleLogitsProcessor`)."""
    # The reference holds the step in an int32 tensor, so everything behind it happens in float32.
    progress = np.float32(step) / np.float32(settings.steps)
    return np.float32(settings.t_min) + np.float32(settings.t_max - settings.t_min) * progress


def accept(entropy: Floats, entropy_bound: float) -> Mask:
    """Positions to keep: in ascending entropy, while those before add up to at most the bound.

    The joint mutual information of the kept tokens is then bounded too (arXiv 2505.24857;
    `EntropyBoundSampler.accept_canvas`). The first position is always kept. Input and output are [..., length].
    """
    order = np.argsort(entropy, axis=-1, kind="stable")
    ascending = np.take_along_axis(entropy, order, axis=-1)
    # torch.cumsum adds up float32 in double and rounds each partial sum; numpy's float32 sum would drift off it.
    sums = np.cumsum(ascending, axis=-1, dtype=np.float64).astype(np.float32)
    kept = sums - ascending <= np.float32(entropy_bound)
    mask = np.zeros_like(kept)
    np.put_along_axis(mask, order, kept, axis=-1)
    return mask


class Canvas:
    """A canvas on its way from noise to text.

    `inputs()` gives what the next step reads and `advance(output)` takes what it answered, so that whoever runs the
    graph may batch canvases, or take its time between the two. `length` positions, one row.
    """

    def __init__(self, settings: DenoiseSettings, draws: Draws, length: int) -> None:
        self.settings = settings
        self.steps_done = 0
        self.stopped = False
        self.tokens: Ints = draws.initial_canvas(length, settings.vocab_size)
        self.argmax: Ints = self.tokens
        self._draws = draws
        self._soft_embeddings = np.zeros((length, settings.hidden_size), dtype=np.float32)
        self._history: list[Ints] = []

    @property
    def steps_left(self) -> int:
        return self.settings.steps - self.steps_done

    @property
    def finished(self) -> bool:
        """No step is left or needed; `argmax` is the result."""
        return self.stopped or self.steps_left == 0

    def inputs(self) -> StepInputs:
        """What the next step reads, with a batch of one."""
        return StepInputs(
            canvas=self.tokens[None],
            soft_embeddings=self._soft_embeddings[None],
            temperature=np.array([temperature_at(self.steps_left, self.settings)], dtype=np.float32),
            uniform=self._draws.uniform(self.steps_done, len(self.tokens))[None],
        )

    def advance(self, output: StepOutput) -> StepResult:
        """Take the answer to `inputs()` (batch of one): accept, renoise, decide whether to stop.

        Follows `DiffusionGemmaGenerationMixin._denoising_step`.
        """
        sampled, argmax, entropy = output.sampled[0], output.argmax[0], output.entropy[0]
        accepted = accept(entropy, self.settings.entropy_bound)
        noise = self._draws.renoise(self.steps_done, len(sampled), self.settings.vocab_size)
        mean_entropy = np.mean(entropy, dtype=np.float32)
        stable = self._is_stable(argmax)
        result = StepResult(
            step=self.steps_left,
            temperature=float(temperature_at(self.steps_left, self.settings)),
            canvas=self.tokens,
            sampled=sampled,
            argmax=argmax,
            entropy=entropy,
            accepted=accepted,
            next_canvas=np.where(accepted, sampled, noise),
            mean_entropy=float(mean_entropy),
            stopped=stable and bool(mean_entropy < np.float32(self.settings.confidence_threshold)),
        )
        self.tokens, self.argmax, self.stopped = result.next_canvas, argmax, result.stopped
        self._soft_embeddings = output.soft_embeddings[0]
        self.steps_done += 1
        return result

    def _is_stable(self, argmax: Ints) -> bool:
        """Whether the last `stability_threshold` argmaxes equal this one (`StableAndConfidentStoppingCriteria`)."""
        threshold = self.settings.stability_threshold
        stable = len(self._history) == threshold and all(np.array_equal(argmax, earlier) for earlier in self._history)
        self._history = [*self._history, argmax][-threshold:] if threshold else []
        return stable


def denoise(canvas: Canvas, run: Callable[[StepInputs], StepOutput]) -> StepResult:
    """Run one step of a canvas that is not finished through `run`, the step graph."""
    return canvas.advance(run(canvas.inputs()))
