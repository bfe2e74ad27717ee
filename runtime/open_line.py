"""A line on its way through the engine."""

import math
from collections.abc import Callable
from dataclasses import replace

from runtime.acted_line import ActedLine
from runtime.batch import PassResult
from runtime.draft import Draft
from runtime.fallback import FallbackLines
from runtime.job import StepReport
from runtime.open_job import OpenJob, Submission
from runtime.outcome import Finished
from runtime.request import AskRequest


class OpenLine(OpenJob):
    """A line that has not ended.

    Args:
        job: what is computed.
        submission: where it comes from.
        request: what was asked.
        fallbacks: where its text comes from if the model has none.
        on_step: called after each denoising step.
        on_draft: called with the line so far.
    """

    def __init__(
        self,
        job: ActedLine,
        submission: Submission,
        request: AskRequest,
        fallbacks: FallbackLines,
        on_step: Callable[[StepReport], None] | None,
        on_draft: Callable[[Draft], None] | None,
    ) -> None:
        super().__init__(job, submission, deterministic=request.deterministic)
        self._acted = job
        self._request = request
        self._fallbacks = fallbacks
        self._on_step = on_step
        self._on_draft = on_draft
        self._drafted_s = -math.inf
        self._report: StepReport | None = None

    def take(self, result: PassResult) -> None:
        """Go on with what the job's pass gave."""
        self._report = self._acted.take(result)

    def tell(self, now_s: Callable[[], float], is_open: Callable[[], bool]) -> None:
        """Report the step, and give a draft if one is due; a line that has ended needs none."""
        if self._report is None:
            return
        if self._on_step is not None:
            self._on_step(self._report)
        if self._on_draft is None or not is_open() or self._acted.line.finish_reason is not None:
            return
        at_s = now_s()
        if at_s - self._drafted_s >= (self._request.draft_every_ms or 0) / 1000.0:
            self._drafted_s = at_s
            self._on_draft(self._acted.line.draft())

    def outcome(self, now_s: float) -> Finished:
        """The line, or one that was written beforehand."""
        line, request, speaker = self._acted.line, self._request, self.submission.speaker
        text = line.text or self._fallbacks.choose(speaker, request.npc, line.plan.seed, request.situation)
        self._fallbacks.note(speaker, text)
        told = line.line(text, queue_s=self.queue_s(now_s), total_s=now_s - self.submission.at_s)
        return Finished(self.id, replace(told, action=self._acted.action))
