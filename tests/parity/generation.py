"""transformers' `generate` and Palaver's own loop on the same prompt and the same random draws, step by step."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

import numpy as np
import torch
from transformers.models.diffusion_gemma.generation_diffusion_gemma import (
    EntropyBoundSampler,
    EntropyBoundSamplerConfig,
    StableAndConfidentStoppingCriteria,
)

from runtime.denoise import Canvas, Clamp, DenoiseSettings, StepInputs, StepOutput, StepResult
from runtime.rng import CanvasDraws
from runtime.session import StepSession

ENTROPY_TOLERANCE = 1e-4  # nats
# A draw this close to the border between two tokens may fall on either side by rounding; such draws are not made.
DRAW_MARGIN = 1e-5


@dataclass(frozen=True)
class Step:
    """What one denoising step did to one canvas; every array is [length]."""

    uniform: np.ndarray
    canvas: np.ndarray
    sampled: np.ndarray
    argmax: np.ndarray
    entropy: np.ndarray
    accepted: np.ndarray
    next_canvas: np.ndarray
    stopped: bool


Line = list[list[Step]]
"""The steps of every canvas of one line."""


def reference_lines(
    model,
    prompts: np.ndarray,
    seeds: Sequence[int],
    settings: DenoiseSettings,
    canvases: int,
    attention_mask: np.ndarray | None = None,
) -> list[Line]:
    """Run transformers' `generate` on prompts [batch, length] and return what its sampler and stopping rule saw.

    Row r draws what Palaver draws with seed `seeds[r]`, but for draws within DRAW_MARGIN of a border between tokens.
    Nothing ends a line but the number of canvases.
    """
    recorder = _Recorder(seeds)
    arguments = {} if attention_mask is None else {"attention_mask": torch.from_numpy(attention_mask)}
    with _recorded_draws(model, recorder):
        output = model.generate(
            torch.from_numpy(prompts),
            max_denoising_steps=settings.steps,
            sampler_config=EntropyBoundSamplerConfig(entropy_bound=settings.entropy_bound),
            t_min=settings.t_min,
            t_max=settings.t_max,
            stability_threshold=settings.stability_threshold,
            confidence_threshold=settings.confidence_threshold,
            max_new_tokens=canvases * model.config.canvas_length,
            **arguments,
        )
    lines = recorder.lines()
    for row, line in enumerate(lines):
        result = np.concatenate([steps[-1].argmax for steps in line])
        np.testing.assert_array_equal(output.sequences[row, prompts.shape[1] :].numpy(), result)
    return lines


def palaver_lines(
    session: StepSession,
    prompts: np.ndarray,
    references: Sequence[Line],
    seeds: Sequence[int],
    settings: DenoiseSettings,
    pad_length: np.ndarray | None = None,
) -> list[Line]:
    """Run Palaver's loop on prompts [batch, length] with the draws, and as many canvases, as the reference lines.

    All rows go in one batch; a row that stops early is left as it is.
    """
    prefix = session.encode(prompts, pad_length=pad_length)
    lines: list[Line] = [[] for _ in seeds]
    canvases = len(references[0])
    for number in range(canvases):
        rows = [
            Canvas(settings, ReplayedDraws(seed, number, reference[number]), Clamp.none(session.geometry.canvas_length))
            for seed, reference in zip(seeds, references, strict=True)
        ]
        for line in lines:
            line.append([])
        while not all(row.finished for row in rows):
            inputs = _stack([row.inputs() for row in rows])
            output = session.denoise(inputs, prefix)
            for index, row in enumerate(rows):
                if not row.finished:
                    lines[index][-1].append(_step_of(inputs.uniform[index], row.advance(_row_of(output, index))))
        if number + 1 < canvases:
            prefix = session.encode(np.stack([row.argmax for row in rows]), prefix)
    return lines


@dataclass(frozen=True)
class ReplayedDraws:
    """Palaver's own draws for a canvas, but the uniform ones as the reference recorded them."""

    seed: int
    canvas: int
    steps: list[Step]

    @property
    def own(self) -> CanvasDraws:
        return CanvasDraws(self.seed, canvas=self.canvas)

    def initial_canvas(self, length: int, vocab_size: int) -> np.ndarray:
        return self.own.initial_canvas(length, vocab_size)

    def uniform(self, step: int, length: int) -> np.ndarray:
        return self.steps[step].uniform if step < len(self.steps) else self.own.uniform(step, length)

    def renoise(self, step: int, length: int, vocab_size: int) -> np.ndarray:
        return self.own.renoise(step, length, vocab_size)


def assert_same_line(ours: Line, reference: Line) -> None:
    """Every step of every canvas equal: tokens and decisions exactly, entropies within ENTROPY_TOLERANCE."""
    assert [len(steps) for steps in ours] == [len(steps) for steps in reference], "steps taken on each canvas"
    for canvas, (our_steps, reference_steps) in enumerate(zip(ours, reference, strict=True)):
        for number, (our, expected) in enumerate(zip(our_steps, reference_steps, strict=True)):
            where = f"canvas {canvas}, step {number}"
            for name in ("canvas", "sampled", "argmax", "accepted", "next_canvas"):
                np.testing.assert_array_equal(getattr(our, name), getattr(expected, name), f"{name} at {where}")
            np.testing.assert_allclose(
                our.entropy, expected.entropy, rtol=0, atol=ENTROPY_TOLERANCE, err_msg=f"entropy at {where}"
            )
            assert our.stopped == expected.stopped, f"stop at {where}"


class _Recorder:
    """Hands out the draws of Palaver's generator, and keeps what the sampler and the stopping rule see."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self.seeds = seeds
        self.canvases: list[list[dict]] = []
        self.uniform = torch.empty(0)  # of the step under way, [batch, length]

    @property
    def draws(self) -> list[CanvasDraws]:
        return [CanvasDraws(seed, canvas=len(self.canvases) - 1) for seed in self.seeds]

    @property
    def steps(self) -> list[dict]:
        """Of the current canvas; the last one is under way until its stopping rule was asked."""
        return self.canvases[-1]

    def lines(self) -> list[Line]:
        return [[self._row_steps(steps, row) for steps in self.canvases] for row in range(len(self.seeds))]

    @staticmethod
    def _row_steps(steps: list[dict], row: int) -> list[Step]:
        """The row's steps up to its own stop; `generate` goes on while another row of the batch does."""
        taken = []
        for step in steps:
            values = {name: tensor[row].numpy().copy() for name, tensor in step.items()}
            taken.append(Step(**{**values, "stopped": bool(values["stopped"])}))
            if taken[-1].stopped:
                break
        return taken


class _RecordingSampler(EntropyBoundSampler):
    def __init__(self, recorder: _Recorder, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.recorder = recorder
        self.renoising = False

    def initialize_canvas(self, *args, **kwargs):
        if not self.renoising:
            self.recorder.canvases.append([])
        return super().initialize_canvas(*args, **kwargs)

    def accept_canvas(self, current_canvas, denoiser_canvas, logits, cur_step):
        accepted = super().accept_canvas(current_canvas, denoiser_canvas, logits, cur_step)
        self.recorder.steps.append(
            {
                "uniform": self.recorder.uniform,
                "canvas": current_canvas,
                "sampled": denoiser_canvas,
                "entropy": torch.distributions.Categorical(logits=logits).entropy(),
                "accepted": self.accepted_token_mask,
            }
        )
        return accepted

    def renoise_canvas(self, *args, **kwargs):
        self.renoising = True
        try:
            renoised = super().renoise_canvas(*args, **kwargs)
        finally:
            self.renoising = False
        self.recorder.steps[-1]["next_canvas"] = renoised
        return renoised


class _RecordingStop(StableAndConfidentStoppingCriteria):
    def __init__(self, recorder: _Recorder, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.recorder = recorder

    def __call__(self, argmax_canvas, logits, **kwargs):
        stopped = super().__call__(argmax_canvas, logits, **kwargs)
        self.recorder.steps[-1].update(argmax=argmax_canvas, stopped=stopped)
        return stopped


@contextmanager
def _recorded_draws(model, recorder: _Recorder) -> Iterator[None]:
    """Replace torch's randomness by the recorder's draws, and sampler and stopping rule by recording ones."""

    def sampler(generation_config):
        return _RecordingSampler(
            recorder,
            config=generation_config.sampler_config,
            canvas_length=model.config.canvas_length,
            vocab_size=model.config.text_config.vocab_size,
            max_denoising_steps=generation_config.max_denoising_steps,
        )

    def stopping(generation_config):
        return _RecordingStop(recorder, generation_config.stability_threshold, generation_config.confidence_threshold)

    def randint(*, low, high, size, device):
        assert low == 0
        # The step under way is the last one recorded; before the first one, the canvas itself is drawn.
        done = len(recorder.steps) - 1
        rows = [
            draws.initial_canvas(size[1], high) if done < 0 else draws.renoise(done, size[1], high)
            for draws in recorder.draws
        ]
        return torch.from_numpy(np.stack(rows)).to(device)

    def multinomial(probabilities, num_samples):
        assert num_samples == 1
        done, length = len(recorder.steps), model.config.canvas_length
        uniform = torch.from_numpy(np.stack([draws.uniform(done, length) for draws in recorder.draws]))
        uniform, drawn = _clear_draws(probabilities.view(*uniform.shape, -1), uniform)
        recorder.uniform = uniform
        return drawn.reshape(-1, 1)

    with (
        mock.patch.object(torch, "randint", randint),
        mock.patch.object(torch, "multinomial", multinomial),
        mock.patch.object(model, "_prepare_sampler", sampler),
        mock.patch.object(model, "_prepare_diffusion_stopping_criteria", stopping),
        mock.patch.multiple(model.generation_config, eos_token_id=None, pad_token_id=None),
    ):
        yield


def _clear_draws(probabilities: torch.Tensor, uniform: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Invert the distributions [batch, length, vocab] at `uniform` [batch, length]; return the draws and the tokens.

    A draw at a border between two tokens is moved to the middle of the most probable token's share.
    """
    cumulative = probabilities.double().cumsum(dim=-1)
    best = probabilities.argmax(dim=-1, keepdim=True)
    middle = (cumulative.gather(-1, best) - probabilities.gather(-1, best) / 2)[..., 0]
    distance = (cumulative - uniform[..., None]).abs().min(dim=-1).values
    uniform = torch.where(distance < DRAW_MARGIN, middle, uniform).float()
    return uniform, (cumulative <= uniform[..., None]).sum(dim=-1)


def _stack(inputs: list[StepInputs]) -> StepInputs:
    return StepInputs(
        canvas=np.concatenate([one.canvas for one in inputs]),
        soft_embeddings=np.concatenate([one.soft_embeddings for one in inputs]),
        temperature=np.concatenate([one.temperature for one in inputs]),
        uniform=np.concatenate([one.uniform for one in inputs]),
    )


def _row_of(output: StepOutput, row: int) -> StepOutput:
    return StepOutput(
        sampled=output.sampled[row : row + 1],
        argmax=output.argmax[row : row + 1],
        entropy=output.entropy[row : row + 1],
        soft_embeddings=output.soft_embeddings[row : row + 1],
    )


def _step_of(uniform: np.ndarray, result: StepResult) -> Step:
    return Step(
        uniform=uniform,
        canvas=result.canvas,
        sampled=result.sampled,
        argmax=result.argmax,
        entropy=result.entropy,
        accepted=result.accepted,
        next_canvas=result.next_canvas,
        stopped=result.stopped,
    )
