"""The engine: owns every job from submission to its one outcome, and runs one unit of compute at a time."""

import logging
import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from runtime.bundle import Bundle
from runtime.calibration import calibrate
from runtime.checks import check_int, check_number
from runtime.draft import Draft
from runtime.errors import PalaverError
from runtime.fallback import FallbackLines
from runtime.frame_budget import TICK_TIMEOUT_S, FrameBudget
from runtime.job import Job, StepReport
from runtime.npc import Npc
from runtime.outcome import Failed, Finished, Outcome
from runtime.plan import plan_job
from runtime.prompt import PromptBuilder
from runtime.request import AskRequest
from runtime.schedule import MAX_OPEN_JOBS, NO_DEADLINE, Expire, Policy, Run, Scheduler, Ticket
from runtime.session import StepSession
from runtime.step_cost import PassKind, StepCost
from runtime.step_plan import steps_in_time
from runtime.text import LineReader

MAX_BUDGET_MS = 1000.0
MAX_FPS = 1000.0
MIN_LOAD = 0.001

_log = logging.getLogger("palaver")


@dataclass(slots=True)
class _Open:
    """A job with what the engine has to know beside it; times in seconds of the engine's clock."""

    job: Job
    npc: Npc
    submitted_s: float
    on_step: Callable[[StepReport], None] | None
    on_draft: Callable[[Draft], None] | None
    draft_every_s: float
    drafted_s: float = -math.inf
    started_s: float | None = None


class Engine:
    """Makes lines, a unit of compute at a time; used by one thread.

    Every job ends once: as an outcome of `step()`, or by `cancel()`. Same request and seed, same text, whatever else
    was asked before or runs in between; with a deadline, same seed and same number of steps.

    Args:
        bundle: a verified bundle.
        threads: CPU threads of the step graph.
        clock: seconds that only go forward.
        session: the bundle's step graph if it is loaded already.
        max_open: jobs open at once; beyond it the answer is "busy".
        tick_timeout_s: without a tick for this long the game counts as paused, and unused budget is lost.

    Raises:
        BundleError: the bundle's graph or chat template cannot be used.
    """

    def __init__(
        self,
        bundle: Bundle,
        *,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
        session: StepSession | None = None,
        max_open: int = MAX_OPEN_JOBS,
        tick_timeout_s: float = TICK_TIMEOUT_S,
    ) -> None:
        manifest = bundle.manifest
        self.bundle = bundle
        self._session = StepSession(bundle, threads) if session is None else session
        self._prompts = PromptBuilder(
            bundle.chat_template, bundle.tokenizer, manifest.tokens.special, manifest.tokens.bos, bundle.eos_token
        )
        self._reader = LineReader(bundle.tokenizer, manifest.tokens)
        self._clock = clock
        self._scheduler = Scheduler(max_open)
        self._cost = StepCost()
        self._budget = FrameBudget(tick_timeout_s)
        self._fallbacks = FallbackLines()
        self._open: dict[int, _Open] = {}
        self._ended: list[Outcome] = []
        self._last_id = 0

    @property
    def idle(self) -> bool:
        """There is nothing to run and nothing to tell."""
        return not (self._open or self._ended)

    @property
    def open_jobs(self) -> int:
        """Jobs that have not ended."""
        return len(self._open)

    def calibrate(self) -> None:
        """Run a few passes so that the costs of the usual shapes are known; without it the first lines teach them.

        Raises:
            ModelError: the graph fails.
        """
        calibrate(self._session, self.bundle.manifest.geometry, self._cost, self._clock)

    def submit(
        self,
        request: AskRequest,
        on_step: Callable[[StepReport], None] | None = None,
        *,
        on_draft: Callable[[Draft], None] | None = None,
        owner: Hashable = None,
    ) -> int:
        """Queue a line and return its job id.

        Args:
            request: what is asked.
            on_step: called after each of its denoising steps, inside `step()`.
            on_draft: called with the line so far, as often as `request.draft_every_ms` says; None there is taken as 0.
            owner: whose characters they are; the same character of two owners is two.

        Raises:
            RequestError: the prompt does not fit the model, the chat template refuses it, or there is no room ("busy",
                "npc-busy").
        """
        prompt_ids = self._prompts.build(request.npc, request.text, request.history)
        job = Job(self._last_id + 1, plan_job(self.bundle.manifest, prompt_ids, request), self._reader)
        now_s = self._clock()
        deadline_s = NO_DEADLINE if request.deadline_ms is None else now_s + request.deadline_ms / 1000.0
        ticket = Ticket(job.id, (owner, request.npc.id), request.priority, now_s, deadline_s)
        for job_id in self._scheduler.admit(ticket, Policy(request.policy)):
            del self._open[job_id]
            problem = PalaverError("a newer ask of the same character took its place", code="replaced")
            self._ended.append(Failed(job_id, problem))
        self._last_id = job.id
        self._open[job.id] = _Open(job, request.npc, now_s, on_step, on_draft, (request.draft_every_ms or 0) / 1000.0)
        return job.id

    def cancel(self, job_id: int) -> bool:
        """Forget a job, which then has no outcome; False if it has ended already or never was."""
        self._scheduler.close(job_id)
        return self._open.pop(job_id, None) is not None

    def tick(self, frame: int, budget_ms: float) -> None:
        """A frame of the game begins: compute may take `budget_ms` from now; telling the same frame twice adds nothing.

        Raises:
            RequestError: `budget_ms` is not in 0 to 1000.
        """
        check_int("frame", frame, 0, (1 << 63) - 1)
        self._budget.tick(self._clock(), frame, check_number("budget_ms", budget_ms, 0.0, MAX_BUDGET_MS) / 1000.0)

    def pace(self, max_load: float, fps: float = 60.0) -> None:
        """From now on take at most this share of one core, spread over the frames; 1.0 is no limit. Ends ticking.

        Raises:
            RequestError: `max_load` is not in 0.001 to 1, or `fps` not in 1 to 1000.
        """
        load, rate = check_number("max_load", max_load, MIN_LOAD, 1.0), check_number("fps", fps, 1.0, MAX_FPS)
        self._budget.pace(self._clock(), load, rate)

    def wait_s(self) -> float:
        """Seconds for which `step()` has nothing to do unless something is called before; infinite when idle."""
        if self._ended:
            return 0.0
        now_s = self._clock()
        match self._scheduler.next(now_s, self._unit_cost_s):
            case Run(job_id):
                starts_in_s = self._budget.wait_s(now_s, self._unit_cost_s(job_id))
                return max(0.0, min(starts_in_s, self._scheduler.expires_s(self._unit_cost_s) - now_s))
            case Expire():
                return 0.0
        return math.inf

    def step(self) -> tuple[Outcome, ...]:
        """Do at most one thing, run a unit of compute of a job or end one that is out of time; return what ended.

        A unit is a slice of an encode or of a denoising step, and runs only when the frame budget allows it. An
        exception from `on_step` or `on_draft` comes out of here, and its job is cancelled.
        """
        if self._ended:
            outcomes, self._ended = tuple(self._ended), []
            return outcomes
        now_s = self._clock()
        match self._scheduler.next(now_s, self._unit_cost_s):
            case Expire(job_id):
                return (self._expire(self._open[job_id], now_s),)
            case Run(job_id) if self._budget.allows(now_s, self._unit_cost_s(job_id)):
                return self._run(self._open[job_id], now_s)
        return ()

    def _run(self, opened: _Open, now_s: float) -> tuple[Outcome, ...]:
        job = opened.job
        if opened.started_s is None:
            opened.started_s = now_s
        try:
            report = self._run_unit(job, now_s)
        except PalaverError as error:
            return (self._fail(job, error),)
        # Whatever else goes wrong inside one job (memory, a defect) must not take the others down.
        except Exception as error:
            _log.exception("job %d failed", job.id)
            problem = PalaverError(f"{type(error).__name__}: {error}", "Please report this", code="internal")
            return (self._fail(job, problem),)
        outcomes = () if job.finish_reason is None else (self._finish(opened),)
        if report is not None:
            self._tell(opened, report)
        return outcomes

    def _run_unit(self, job: Job, now_s: float) -> StepReport | None:
        unit = job.next_unit()
        if unit.kind is PassKind.DENOISE and not job.steps_planned:
            job.plan_steps(self._steps_in_time(job, now_s))
        expected_s = self._cost.expected_s(unit)
        try:
            return job.run_unit(self._session)
        finally:
            ended_s = self._clock()
            job.seconds[unit.kind] += ended_s - now_s
            self._cost.observe(unit, ended_s - now_s)
            self._budget.spend(ended_s, expected_s, ended_s - now_s)

    def _steps_in_time(self, job: Job, now_s: float) -> int:
        """Steps a canvas that fit into the job's share of the time, as many as were asked for at most."""
        slices = (replace(job.next_unit(), part=part) for part in range(self._session.slices))
        return steps_in_time(
            job.plan.settings.steps,
            sum(self._budget.elapsed_s(self._cost.expected_s(unit)) for unit in slices),
            shared_s=self._scheduler.fair_share_s(job.id, now_s),
            alone_s=self._scheduler[job.id].deadline_s - now_s,
        )

    def _unit_cost_s(self, job_id: int) -> float:
        return self._cost.expected_s(self._open[job_id].job.next_unit())

    def _expire(self, opened: _Open, now_s: float) -> Finished:
        job = opened.job
        unit, ticket = job.next_unit(), self._scheduler[job.id]
        alone_s = ticket.deadline_s - opened.submitted_s - sum(job.seconds.values())
        if job.steps_done == 0 and self._cost.expected_s(unit) > alone_s:
            self._cost.doubt(unit)
        job.end_early()
        return self._finish(opened)

    def _finish(self, opened: _Open) -> Finished:
        job, now_s = opened.job, self._clock()
        speaker = self._scheduler[job.id].speaker
        self.cancel(job.id)
        text = job.text or self._fallbacks.choose(speaker, opened.npc.fallbacks, job.plan.seed)
        self._fallbacks.note(speaker, text)
        queue_s = (now_s if opened.started_s is None else opened.started_s) - opened.submitted_s
        return Finished(job.id, job.line(text, queue_s=queue_s, total_s=now_s - opened.submitted_s))

    def _fail(self, job: Job, error: PalaverError) -> Failed:
        self.cancel(job.id)
        return Failed(job.id, error)

    def _tell(self, opened: _Open, report: StepReport) -> None:
        """Call the job's callbacks; a line that has ended needs no draft."""
        job = opened.job
        try:
            if opened.on_step is not None:
                opened.on_step(report)
            if opened.on_draft is not None and job.id in self._open:
                now_s = self._clock()
                if now_s - opened.drafted_s >= opened.draft_every_s:
                    opened.drafted_s = now_s
                    opened.on_draft(job.draft())
        except BaseException:
            self.cancel(job.id)
            raise
