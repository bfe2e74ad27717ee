"""One canvas: from noise to tokens, given somebody who runs the step graph.

The loop is that of transformers' `DiffusionGemmaGenerationMixin.generate`. What is decided in it, which draws stay and
when to stop, is a `Sampler`'s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

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
        eos_token_ids: ids that end a line; what stands behind the first one is never said.
        sampler: what decides.
        steps: most steps a canvas; the temperature schedule runs over exactly this many.
        entropy_bound: nats, the model's own bound for accepting draws.
        t_min: temperature that the model's own schedule tends to.
        t_max: temperature that it starts from.
        stability_threshold: earlier argmax canvases that must equal the present one, for the model's own rule of when
            to stop; 0 asks for confidence only.
        confidence_threshold: nats, mean entropy to get below, for the same rule.
    """

    vocab_size: int
    hidden_size: int
    eos_token_ids: frozenset[int]
    sampler: "Sampler"
    steps: int
    entropy_bound: float
    t_min: float
    t_max: float
    stability_threshold: int
    confidence_threshold: float


@dataclass(frozen=True, slots=True)
class Clamp:
    """Positions of a canvas whose tokens are settled.

    Attributes:
        ids: int64 [length], the token of each position; -1 where the model writes.
        body: positions at the start of the canvas in which the line does not end; an end token that the model puts
            there is never accepted, and counts as no end.
    """

    ids: Ints
    body: int

    @property
    def pinned(self) -> Mask:
        """bool [length], True where a token is settled."""
        return self.ids >= 0

    @classmethod
    def none(cls, length: int) -> Self:
        """Nothing is settled."""
        return cls(np.full(length, -1, dtype=np.int64), 0)


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
        stopped: no further step is needed.
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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a sampler makes of a step.

    Attributes:
        accepted: bool [length], positions whose draw stays; the others get fresh noise.
        stopped: no further step is needed.
    """

    accepted: Mask
    stopped: bool


class Sampler(Protocol):
    """The decisions on the way from noise to tokens.

    It keeps nothing between two calls and sees one canvas alone, so that a line depends on nothing that shares its
    batch. `steps_left` counts the step at hand: `settings.steps` in the first one, 1 in the last.
    """

    def canvas_length(self, longest: int) -> int:
        """Positions of a canvas of a model whose own have `longest`; 1 to `longest`."""
        ...

    def temperature(self, steps_left: int, settings: DenoiseSettings) -> np.float32:
        """By which the step's logits are divided."""
        ...

    def decide(
        self, argmax: Ints, entropy: Floats, earlier: Sequence[Ints], steps_left: int, settings: DenoiseSettings
    ) -> Decision:
        """What stays of the step's draws, and whether it was the last.

        Args:
            argmax: int64 [length], the draft.
            entropy: float32 [length], nats.
            earlier: the drafts of this canvas's earlier steps, oldest first.
            steps_left: this step included.
            settings: of the canvas.
        """
        ...


class Canvas:
    """A canvas on its way from noise to text.

    `inputs()` gives what the next step reads and `advance(output)` takes what it answered, so that whoever runs the
    graph may batch canvases, or take its time between the two. One row, of as many positions as the clamp has.

    A settled token stands on the canvas in every step, is what is drawn there and most probable there, and is certain.
    The soft embedding of its position is the model's own, which has seen the token; nobody but the graph knows another.
    """

    def __init__(self, settings: DenoiseSettings, draws: Draws, clamp: Clamp) -> None:
        length = len(clamp.ids)
        self.settings = settings
        self.clamp = clamp
        self.steps_done = 0
        self.stopped = False
        self.tokens: Ints = np.where(clamp.pinned, clamp.ids, draws.initial_canvas(length, settings.vocab_size))
        self.argmax: Ints = self.tokens
        self._draws = draws
        self._soft_embeddings = np.zeros((length, settings.hidden_size), dtype=np.float32)
        self._earlier: list[Ints] = []

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
            temperature=np.array([self._temperature()], dtype=np.float32),
            uniform=self._draws.uniform(self.steps_done, len(self.tokens))[None],
        )

    def advance(self, output: StepOutput) -> StepResult:
        """Take the answer to `inputs()` (batch of one): accept, renoise, decide whether to stop."""
        settings, pinned = self.settings, self.clamp.pinned
        sampled, argmax = (np.where(pinned, self.clamp.ids, ids[0]) for ids in (output.sampled, output.argmax))
        entropy = np.where(pinned, np.float32(0.0), output.entropy[0])
        misplaced, misdrawn = self._ends_in_body(argmax), self._ends_in_body(sampled)
        # As a sampler may see them, for which the line is over at the first end token.
        seen = np.where(misplaced, -1, argmax)
        decision = settings.sampler.decide(seen, entropy, self._earlier, self.steps_left, settings)
        accepted = decision.accepted & ~misdrawn | pinned
        noise = self._draws.renoise(self.steps_done, len(sampled), settings.vocab_size)
        result = StepResult(
            step=self.steps_left,
            temperature=float(self._temperature()),
            canvas=self.tokens,
            sampled=sampled,
            argmax=argmax,
            entropy=entropy,
            accepted=accepted,
            next_canvas=np.where(accepted, sampled, noise),
            mean_entropy=float(np.mean(entropy, dtype=np.float32)),
            stopped=decision.stopped and not misplaced.any(),
        )
        self.tokens, self.argmax, self.stopped = result.next_canvas, argmax, result.stopped
        # An end that may not be is not told to the next step, which would only believe it the more.
        self._soft_embeddings = np.where(misplaced[:, None], np.float32(0.0), output.soft_embeddings[0])
        self._earlier.append(seen)
        self.steps_done += 1
        return result

    def _ends_in_body(self, ids: Ints) -> Mask:
        ends = np.isin(ids, list(self.settings.eos_token_ids))
        ends[self.clamp.body :] = False
        return ends

    def _temperature(self) -> np.float32:
        return self.settings.sampler.temperature(self.steps_left, self.settings)


def denoise(canvas: Canvas, run: Callable[[StepInputs], StepOutput]) -> StepResult:
    """Run one step of a canvas that is not finished through `run`, the step graph."""
    return canvas.advance(run(canvas.inputs()))
