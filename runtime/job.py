"""One line in the making: what is done, and the pass of the graph that comes next."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from runtime.batch import DenoiseWork, Work
from runtime.canvases import CanvasPlan
from runtime.denoise import DenoiseSettings, Ints, StepOutput, StepResult
from runtime.draft import Draft, stable_chars
from runtime.layouts import LayoutSearch
from runtime.line import FinishReason, Line, Source, Timings
from runtime.pins import Layout
from runtime.plan import JobPlan
from runtime.prefill import Prefill
from runtime.rng import CanvasDraws
from runtime.session import Prefix
from runtime.spoken import Spoken
from runtime.step_cost import PassKind, Shape
from runtime.template import Template
from runtime.wording import Said, Wording

MAX_REROLLS = 3

_MOST_TRIES = {"repeat": 1}
"""Times that a first canvas is drawn anew where it is not MAX_REROLLS: whoever repeats himself twice means it."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """A denoising step as `on_step` gets it: which job, which canvas of the line, which try, and the step itself."""

    job_id: int
    canvas: int
    reroll: int
    result: StepResult


@dataclass(slots=True, eq=False)
class Job:
    """The state of one line, which knows of no clock.

    `work()` tells what the next pass has to compute and `take()` moves the line on by what it gave, so that whoever
    runs the graph may put several lines into one pass, and take its time in between.
    """

    id: int
    plan: JobPlan
    wording: Wording
    prefill: Prefill
    finish_reason: FinishReason | None = None
    said: Said = field(default_factory=Said)
    rerolls: int = 0
    steps_done: int = 0
    canvases: int = 0
    rushed: bool = False
    """A deadline allowed fewer steps than were asked for, and the model was not done after them."""
    mixed: bool = False
    """It was in a pass with others whose rows may have changed how its own were rounded."""
    seconds: dict[PassKind, float] = field(default_factory=lambda: dict.fromkeys(PassKind, 0.0))
    _spoken: Spoken = field(default_factory=Spoken)
    _settings: DenoiseSettings | None = None
    _next: CanvasPlan = field(init=False)
    _search: LayoutSearch | None = None
    _template: Template | None = None

    def __post_init__(self) -> None:
        self._template = self.plan.forms[0].template
        self._next = CanvasPlan.of(self.plan, self.plan.forms, 0)

    @property
    def text(self) -> str:
        """What the model has said, not escaped; empty while it has not ended, and if it may not be said."""
        return self.said.text

    @property
    def steps_planned(self) -> int:
        """Most steps a canvas; 0 before `plan_steps`."""
        return 0 if self._settings is None else self._settings.steps

    @property
    def passes_to_plan(self) -> int:
        """Passes that the first canvas would have if time did not matter."""
        return self._next.passes(self.plan.settings.steps)

    def plan_steps(self, passes: int) -> None:
        """Settle how many steps a canvas may have, for so many passes; the temperatures run over exactly these."""
        steps = min(self.plan.settings.steps, self._next.steps(passes))
        self._settings = replace(self.plan.settings, steps=steps)

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        if not self.prefill.done:
            return self.prefill.next_pass()
        return Shape(PassKind.DENOISE, self._next.length, self.prefill.length)

    def passes_left(self) -> int:
        """Most passes until the present canvas is finished; as many steps as were asked for, if none are planned."""
        if self._search is not None:
            return self._search.passes_left
        return self.prefill.passes_left() + self._next.passes(self.steps_planned or self.plan.settings.steps)

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing. A denoising step needs `plan_steps`."""
        if not self.prefill.done:
            return self.prefill.work()
        if self._search is None:
            assert self._settings is not None
            draws = CanvasDraws(self.plan.seed, canvas=self.canvases, attempt=self.rerolls)
            self._search = self._next.begin(self._settings, draws, self.plan.end_id, self._flaws_of)
        return DenoiseWork(self._search.inputs(), self.prefill.prefix)

    def take(self, result: Prefix | StepOutput) -> StepReport | None:
        """Go on with what `work()` gave; a step is reported, and `finish_reason` is set when the line has ended."""
        if isinstance(result, Prefix):
            self.prefill.take(result, exact=not self.mixed)
            if self.prefill.done and self._next.head:
                self._take_head(self._next.head)
            return None
        return self._take_step(result)

    def end_early(self) -> None:
        """End the line with the best there is: the canvas as it stands, if it may be said, else nothing."""
        self.finish_reason = "deadline"
        self._spoken = self._so_far()
        self.said = self.wording.cut_short(self._spoken.of(self._template), self._spoken.mean_entropy)

    def draft(self) -> Draft:
        """The line as it stands; empty while it may not be said."""
        settled = self._spoken
        best = None if self._search is None else self._search.best
        if best is not None and best.last is not None and best.before_last is not None:
            sure = best.last.accepted & (best.last.argmax == best.before_last.argmax)
            count = len(sure) if sure.all() else int(np.argmin(sure))
            settled = settled.followed_by(best.layout, best.last, min(count, self._kept(best.layout, best.last)))
        said, certain = (self.wording.draft(tokens.of(self._template)) for tokens in (self._so_far(), settled))
        text = self.wording.written(said)
        return Draft(
            self.id, text, stable_chars(text, self.wording.written(certain)), self.steps_done, self.steps_planned
        )

    def line(self, fallback: str, *, queue_s: float, total_s: float) -> Line:
        """The line of a job that has ended; `fallback` is an authored line for when there is no text."""
        assert self.finish_reason is not None
        cut_short = self.rushed or self.finish_reason == "deadline"
        source: Source = "fallback" if not self.text else "draft" if cut_short else "model"
        encode_s, denoise_s = self.seconds[PassKind.ENCODE], self.seconds[PassKind.DENOISE]
        written = self.wording.written(self.said) if self.text else self.wording.beforehand(fallback)
        return Line(
            text=written,
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
            directions=self.said.directions,
            plain_text=self.text if written != self.text else "",
            timings=Timings(*map(_ms, (queue_s, encode_s, denoise_s, encode_s + denoise_s, total_s))),
        )

    def _take_head(self, ids: tuple[int, ...]) -> None:
        """Say what is pinned in front of the next canvas."""
        part = self._next.forms[0][0].runs[0].part
        self._spoken = self._spoken.with_pin(ids, part)
        self.prefill.extend(np.array(ids, dtype=np.int64))
        self._next = replace(self._next, head=())

    def _take_step(self, output: StepOutput) -> StepReport:
        assert self._search is not None
        result = self._search.advance(output)
        self.steps_done += 1
        report = StepReport(self.id, self.canvases, self.rerolls, result)
        # Drafts and a line that is cut are told of what is best so far, and so of the template that it follows.
        self._template = self._search.best.layout.rest.template
        if self._search.finished:
            self._take_canvas(self._search.best.layout, result)
        if self.finish_reason is None and self.steps_done == self.plan.stop_after_steps:
            self.end_early()
        return report

    def _take_canvas(self, layout: Layout, result: StepResult) -> None:
        """Append a finished canvas to the line, and end the line, draw the canvas anew, or go on with the next."""
        self._search = None
        kept = self._kept(layout, result)
        ended = self._ends(layout, result)
        spoken = self._spoken.followed_by(layout, result, kept)
        self.rushed |= self.steps_planned < self.plan.settings.steps and not result.stopped
        if not (ended or len(spoken.tokens) == self.plan.max_tokens):
            self._spoken = spoken
            self.prefill.extend(result.argmax[:kept])
            self.canvases += 1
            self._next = CanvasPlan.of(self.plan, (layout.rest,), len(spoken.tokens))
            return
        said = self.wording.line(spoken.of(self._template), ended=ended)
        if said.reason and self.canvases == 0 and self.rerolls < _MOST_TRIES.get(said.reason, MAX_REROLLS):
            self.rerolls += 1
            return
        self._spoken = spoken
        self.canvases += 1
        if said.reason:
            self.finish_reason = said.reason
        # The gate may not shorten the text here: asked for with so many steps and no deadline, it comes out whole.
        elif self.rushed and self.wording.cut_short(spoken.of(self._template), spoken.mean_entropy) != said:
            self.finish_reason = "deadline"
        else:
            self.said, self.finish_reason = said, "stop" if ended else "max_tokens"

    def _so_far(self) -> Spoken:
        best = None if self._search is None else self._search.best
        if best is None or best.last is None:
            return self._spoken
        return self._spoken.followed_by(best.layout, best.last, self._kept(best.layout, best.last))

    def _flaws_of(self, layout: Layout, result: StepResult) -> int:
        """Of the line as it would be with this canvas."""
        spoken = self._spoken.followed_by(layout, result, self._kept(layout, result))
        return 0 if layout.rest.runs else self.wording.flaws(spoken.of(layout.rest.template))

    def _kept(self, layout: Layout, result: StepResult) -> int:
        """Tokens of a canvas that belong to the line: its body, and what stands behind that up to the first end."""
        ends = self._ends_behind(layout, result)
        if layout.rest.runs:
            return layout.clamp.body
        return int(ends[0]) if len(ends) else len(result.argmax)

    def _ends(self, layout: Layout, result: StepResult) -> bool:
        """The line is over with this canvas."""
        if layout.rest.runs:
            return False
        return not layout.rest.open_end or len(self._ends_behind(layout, result)) > 0

    def _ends_behind(self, layout: Layout, result: StepResult) -> Ints:
        ends = np.flatnonzero(np.isin(result.argmax, list(self.plan.settings.eos_token_ids)))
        return ends[ends >= layout.clamp.body]


def _ms(seconds: float) -> float:
    return round(seconds * 1000.0, 3)
