"""One line in the making: what is done, and the pass of the graph that comes next."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from runtime.batch import DenoiseWork, EncodeWork, Work
from runtime.denoise import Canvas, DenoiseSettings, Ints, StepOutput, StepResult
from runtime.draft import Draft, stable_chars
from runtime.gate import has_banned, passing_draft
from runtime.line import FinishReason, Line, Source, Timings
from runtime.plan import JobPlan
from runtime.rng import CanvasDraws
from runtime.session import Prefix
from runtime.step_cost import PassKind, Shape
from runtime.text import LineReader

MAX_REROLLS = 3
PREFILL_CHUNK = 64
"""Tokens encoded by one pass, to a multiple of which every prompt is padded at its start.

Where chunks end depends on the text alone, because other ends would give other bytes.
"""


@dataclass(frozen=True, slots=True)
class StepReport:
    """A denoising step as `on_step` gets it: which job, which canvas of the line, which try, and the step itself."""

    job_id: int
    canvas: int
    reroll: int
    result: StepResult


@dataclass(slots=True)
class _Spoken:
    """Tokens of a line, and the entropy in nats of each."""

    tokens: list[int] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)

    @property
    def mean_entropy(self) -> float:
        return sum(self.entropies) / max(1, len(self.entropies))

    def followed_by(self, result: StepResult, count: int) -> "_Spoken":
        """These and the first `count` tokens of a canvas."""
        return _Spoken(self.tokens + result.argmax[:count].tolist(), self.entropies + result.entropy[:count].tolist())


@dataclass(slots=True, eq=False)
class Job:
    """The state of one line, which knows of no clock.

    `work()` tells what the next pass has to compute and `take()` moves the line on by what it gave, so that whoever
    runs the graph may put several lines into one pass, and take its time in between.
    """

    id: int
    plan: JobPlan
    reader: LineReader
    finish_reason: FinishReason | None = None
    text: str = ""
    rerolls: int = 0
    steps_done: int = 0
    canvases: int = 0
    rushed: bool = False
    """A deadline allowed fewer steps than were asked for, and the model was not done after them."""
    mixed: bool = False
    """It was in a pass with others whose rows may have changed how its own were rounded."""
    seconds: dict[PassKind, float] = field(default_factory=lambda: dict.fromkeys(PassKind, 0.0))
    _spoken: _Spoken = field(default_factory=_Spoken)
    _settings: DenoiseSettings | None = None
    _to_encode: Ints = field(init=False)
    _prefix: Prefix | None = None
    _canvas: Canvas | None = None
    _last: StepResult | None = None
    _before_last: StepResult | None = None

    def __post_init__(self) -> None:
        self._to_encode = np.pad(self.plan.prompt_ids, (self._pad_length, 0))

    @property
    def steps_planned(self) -> int:
        """Most steps a canvas; 0 before `plan_steps`."""
        return 0 if self._settings is None else self._settings.steps

    def plan_steps(self, steps: int) -> None:
        """Settle how many steps a canvas may have; the temperature schedule runs over exactly these."""
        self._settings = replace(self.plan.settings, steps=steps)

    @property
    def _pad_length(self) -> int:
        return -len(self.plan.prompt_ids) % PREFILL_CHUNK

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        prefix = 0 if self._prefix is None else self._prefix.length
        if len(self._to_encode):
            return Shape(PassKind.ENCODE, min(PREFILL_CHUNK, len(self._to_encode)), prefix)
        return Shape(PassKind.DENOISE, self._canvas_length(), prefix)

    def passes_left(self) -> int:
        """Most passes until the present canvas is finished; as many steps as were asked for, if none are planned."""
        done = 0 if self._canvas is None else self._canvas.steps_done
        steps = self.steps_planned or self.plan.settings.steps
        return -(-len(self._to_encode) // PREFILL_CHUNK) + steps - done

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing. A denoising step needs `plan_steps`."""
        if len(self._to_encode):
            pad_length = self._pad_length if self._prefix is None else 0
            return EncodeWork(self._to_encode[None, :PREFILL_CHUNK], self._prefix, pad_length)
        assert self._prefix is not None and self._settings is not None
        if self._canvas is None:
            draws = CanvasDraws(self.plan.seed, canvas=self.canvases, attempt=self.rerolls)
            self._canvas = Canvas(self._settings, draws, self._canvas_length())
        return DenoiseWork(self._canvas.inputs(), self._prefix)

    def take(self, result: Prefix | StepOutput) -> StepReport | None:
        """Go on with what `work()` gave; a step is reported, and `finish_reason` is set when the line has ended."""
        if isinstance(result, Prefix):
            self._prefix, self._to_encode = result, self._to_encode[PREFILL_CHUNK:]
            return None
        return self._take_step(result)

    def end_early(self) -> None:
        """End the line with the best there is: the canvas as it stands, if it may be said, else nothing."""
        self.finish_reason = "deadline"
        self._spoken = self._so_far()
        self.text = passing_draft(self.reader.read(self._spoken.tokens), self._spoken.mean_entropy, self.plan.banned)

    def draft(self) -> Draft:
        """The line as it stands; empty while it has a banned word."""
        settled = self._spoken.tokens.copy()
        if self._last is not None and self._before_last is not None:
            sure = self._last.accepted & (self._last.argmax == self._before_last.argmax)
            count = len(sure) if sure.all() else int(np.argmin(sure))
            settled = self._spoken.followed_by(self._last, min(count, self._length_before_end(self._last))).tokens
        text = self.reader.read(self._so_far().tokens)
        if has_banned(text, self.plan.banned):
            text = ""
        return Draft(self.id, text, stable_chars(text, self.reader.read(settled)), self.steps_done, self.steps_planned)

    def line(self, fallback: str, *, queue_s: float, total_s: float) -> Line:
        """The line of a job that has ended; `fallback` is said if there is no text."""
        assert self.finish_reason is not None
        cut_short = self.rushed or self.finish_reason == "deadline"
        source: Source = "fallback" if not self.text else "draft" if cut_short else "model"
        encode_s, denoise_s = self.seconds[PassKind.ENCODE], self.seconds[PassKind.DENOISE]
        return Line(
            text=self.text or fallback,
            source=source,
            finish_reason=self.finish_reason,
            seed=self.plan.seed,
            steps_planned=self.steps_planned,
            steps_done=self.steps_done,
            canvases=self.canvases,
            tokens=len(self._spoken.tokens) if self.text else 0,
            rerolls=self.rerolls,
            confidence=round(math.exp(-self._spoken.mean_entropy), 4) if self.text else 0.0,
            deterministic=source != "fallback" and not self.mixed,
            timings=Timings(*map(_ms, (queue_s, encode_s, denoise_s, encode_s + denoise_s, total_s))),
        )

    def _take_step(self, output: StepOutput) -> StepReport:
        assert self._canvas is not None
        result = self._canvas.advance(output)
        self._before_last, self._last = self._last, result
        self.steps_done += 1
        report = StepReport(self.id, self.canvases, self.rerolls, result)
        if self._canvas.finished:
            self._take_canvas(result)
        if self.finish_reason is None and self.steps_done == self.plan.stop_after_steps:
            self.end_early()
        return report

    def _take_canvas(self, result: StepResult) -> None:
        """Append a finished canvas to the line, and end the line, draw the canvas anew, or go on with the next."""
        self._canvas = self._last = self._before_last = None
        kept = self._length_before_end(result)
        ended = kept < len(result.argmax)
        spoken = self._spoken.followed_by(result, kept)
        self.rushed |= self.steps_planned < self.plan.settings.steps and not result.stopped
        if not (ended or len(spoken.tokens) == self.plan.max_tokens):
            self._spoken, self._to_encode = spoken, result.argmax
            self.canvases += 1
            return
        text = self.reader.read(spoken.tokens)
        banned = has_banned(text, self.plan.banned)
        if (banned or not text) and self.canvases == 0 and self.rerolls < MAX_REROLLS:
            self.rerolls += 1
            return
        self._spoken = spoken
        self.canvases += 1
        if banned or not text:
            self.finish_reason = "banned" if banned else "empty"
        # The gate may not shorten the text here: asked for with so many steps and no deadline, it comes out whole.
        elif self.rushed and passing_draft(text, spoken.mean_entropy, self.plan.banned) != text:
            self.finish_reason = "deadline"
        else:
            self.text, self.finish_reason = text, "stop" if ended else "max_tokens"

    def _canvas_length(self) -> int:
        return min(self.plan.canvas_length, self.plan.max_tokens - len(self._spoken.tokens))

    def _so_far(self) -> _Spoken:
        if self._last is None:
            return self._spoken
        return self._spoken.followed_by(self._last, self._length_before_end(self._last))

    def _length_before_end(self, result: StepResult) -> int:
        """Tokens of the draft in front of its first end token."""
        ends = np.flatnonzero(np.isin(result.argmax, list(self.plan.settings.eos_token_ids)))
        return int(ends[0]) if len(ends) else len(result.argmax)


def _ms(seconds: float) -> float:
    return round(seconds * 1000.0, 3)
