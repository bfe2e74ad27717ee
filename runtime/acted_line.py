"""A line in the making, and then what it carries out: one job for whoever runs it."""

from collections.abc import Sequence
from typing import cast

from runtime.acting import Acting
from runtime.actions import ActionCall
from runtime.batch import PassResult, Work
from runtime.denoise import StepOutput
from runtime.job import Job, StepReport
from runtime.session import Prefix
from runtime.stage import Stage
from runtime.step_cost import PassKind, Shape


class ActedLine:
    """The state of a line and of its action, which knows of no clock.

    Only a line that the model has ended, and in time, carries an action: what a deadline cuts is told as it stands.

    Args:
        line: to be said first.
        calls: what it may carry out; empty for nothing.
        stage: of the model.
    """

    def __init__(self, line: Job, calls: Sequence[ActionCall], stage: Stage) -> None:
        self.line = line
        self.action: ActionCall | None = None
        self._calls = calls
        self._stage = stage
        self._prompt: Prefix | None = None
        self._acting: Acting | None = None

    @property
    def id(self) -> int:
        """Of the line."""
        return self.line.id

    @property
    def seconds(self) -> dict[PassKind, float]:
        """Of line and action."""
        return self.line.seconds

    @property
    def mixed(self) -> bool:
        """It was in a pass with others whose rows may have changed how its own were rounded."""
        return self.line.mixed

    @mixed.setter
    def mixed(self, mixed: bool) -> None:
        self.line.mixed = mixed

    @property
    def finished(self) -> bool:
        """The line has ended, and its action is known."""
        return self.line.finish_reason is not None and self._acting is None

    @property
    def steps_done(self) -> int:
        """Of the line."""
        return self.line.steps_done

    @property
    def passes_to_plan(self) -> int:
        """Passes of the line's first canvas, if that begins next."""
        encodes = self._acting is not None or not self.line.prefill.done
        return 0 if encodes or self.line.steps_planned else self.line.passes_to_plan

    def plan_steps(self, passes: int) -> None:
        """Settle how many steps a canvas of the line may have, for so many passes."""
        self.line.plan_steps(passes)

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        return self.line.next_pass() if self._acting is None else self._acting.next_pass()

    def passes_left(self) -> int:
        """Most passes until the present canvas, or the action, is finished."""
        return self.line.passes_left() if self._acting is None else self._acting.passes_left()

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing."""
        return self.line.work() if self._acting is None else self._acting.work()

    def take(self, result: PassResult) -> StepReport | None:
        """Go on with what `work()` gave; a denoising step is reported."""
        if self._acting is not None:
            self._act(self._acting, result)
            return None
        # The line itself goes on behind the prompt with words that are given, and with canvases that are whole.
        if self._prompt is None and isinstance(result, Prefix) and self.line.prefill.passes_left() == 1:
            self._prompt = result
        report = self.line.take(cast(Prefix | StepOutput, result))
        if self._calls and self.line.text and self.line.finish_reason in ("stop", "max_tokens"):
            assert self._prompt is not None
            self._acting = Acting(self.line.text, self._calls, self._prompt, self._stage)
        return report

    def end_early(self) -> None:
        """End the line as it stands; one that has ended already stays as it is, without an action."""
        self._acting = None
        if self.line.finish_reason is None:
            self.line.end_early()

    def _act(self, acting: Acting, result: PassResult) -> None:
        acting.take(result)
        if acting.finished:
            self.action, self._acting = acting.call(), None
