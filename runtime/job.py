"""One line in the making: what is done, and the one unit of compute that comes next."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from runtime.denoise import Canvas, DenoiseSettings, Ints, StepResult, denoise
from runtime.line import FinishReason, Line, Timings
from runtime.rng import CanvasDraws
from runtime.session import Prefix, StepSession
from runtime.text import LineReader

MAX_REROLLS = 3


@dataclass(frozen=True, slots=True)
class JobPlan:
    """Everything that decides the text of a line, no default left open.

    Attributes:
        prompt_ids: int64 [length].
        seed: of every draw.
        max_tokens: most tokens of the line, end token not counted.
        canvas_length: positions of a whole canvas; the last one is shorter when fewer tokens are left.
        eos_token_ids: ids that end the line.
        settings: of every canvas.
    """

    prompt_ids: Ints
    seed: int
    max_tokens: int
    canvas_length: int
    eos_token_ids: frozenset[int]
    settings: DenoiseSettings


@dataclass(frozen=True, slots=True)
class StepReport:
    """A denoising step as `on_step` gets it: which job, which canvas of the line, which try, and the step itself."""

    job_id: int
    canvas: int
    reroll: int
    result: StepResult


@dataclass(slots=True)
class Job:
    """The state of one line; `run_unit` moves it on by one pass of the graph.

    Times are in seconds of the clock that is passed in.
    """

    id: int
    plan: JobPlan
    submitted_s: float
    on_step: Callable[[StepReport], None] | None = None
    finish_reason: FinishReason | None = None
    text: str = ""
    tokens: list[int] = field(default_factory=list)
    rerolls: int = 0
    steps: int = 0
    canvases: int = 0
    started_s: float | None = None
    encode_s: float = 0.0
    denoise_s: float = 0.0
    _to_encode: Ints | None = field(init=False)
    _prefix: Prefix | None = None
    _canvas: Canvas | None = None

    def __post_init__(self) -> None:
        self._to_encode = self.plan.prompt_ids

    def run_unit(self, session: StepSession, reader: LineReader, clock: Callable[[], float]) -> StepReport | None:
        """Run one encode or one denoising step; a step is reported, and `finish_reason` is set when the line ends."""
        start_s = clock()
        if self.started_s is None:
            self.started_s = start_s
        if self._to_encode is not None:
            self._prefix = session.encode(self._to_encode[None], self._prefix)
            self._to_encode = None
            self.encode_s += clock() - start_s
            return None
        report = self._run_step(session)
        self.denoise_s += clock() - start_s
        if self._canvas is not None and self._canvas.finished:
            self._take_canvas(self._canvas.argmax, reader)
        return report

    def line(self, now_s: float) -> Line:
        """The line of a job that has ended."""
        assert self.finish_reason is not None and self.started_s is not None
        return Line(
            text=self.text,
            seed=self.plan.seed,
            steps=self.steps,
            canvases=self.canvases,
            tokens=len(self.tokens),
            rerolls=self.rerolls,
            finish_reason=self.finish_reason,
            timings=Timings(
                queue_ms=_ms(self.started_s - self.submitted_s),
                encode_ms=_ms(self.encode_s),
                denoise_ms=_ms(self.denoise_s),
                total_ms=_ms(now_s - self.submitted_s),
            ),
        )

    def _run_step(self, session: StepSession) -> StepReport:
        prefix = self._prefix
        assert prefix is not None
        if self._canvas is None:
            length = min(self.plan.canvas_length, self.plan.max_tokens - len(self.tokens))
            draws = CanvasDraws(self.plan.seed, canvas=self.canvases, attempt=self.rerolls)
            self._canvas = Canvas(self.plan.settings, draws, length)
        result = denoise(self._canvas, lambda inputs: session.denoise(inputs, prefix))
        self.steps += 1
        return StepReport(self.id, self.canvases, self.rerolls, result)

    def _take_canvas(self, ids: Ints, reader: LineReader) -> None:
        """Append a finished canvas to the line, and end the line, draw the canvas anew, or go on with the next."""
        self._canvas = None
        kept = _before_end(ids, self.plan.eos_token_ids)
        ended = len(kept) < len(ids)
        over = ended or len(self.tokens) + len(kept) == self.plan.max_tokens
        if over and self.canvases == 0 and self.rerolls < MAX_REROLLS and not reader.read(kept):
            self.rerolls += 1
            return
        self.tokens += kept
        self.canvases += 1
        if over:
            self.text = reader.read(self.tokens)
            self.finish_reason = ("stop" if ended else "max_tokens") if self.text else "empty"
        else:
            self._to_encode = ids


def _before_end(ids: Ints, eos_token_ids: frozenset[int]) -> list[int]:
    ends = np.flatnonzero(np.isin(ids, list(eos_token_ids)))
    return [int(token_id) for token_id in (ids[: ends[0]] if len(ends) else ids)]


def _ms(seconds: float) -> float:
    return round(seconds * 1000.0, 3)
