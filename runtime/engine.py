"""The engine: owns every job from submission to its one outcome, and runs one unit of compute at a time."""

import logging
import math
import time
from collections.abc import Callable, Hashable

from runtime.bundle import Bundle
from runtime.calibration import calibrate
from runtime.checks import check_int, check_number
from runtime.compute import Compute, SharedPass
from runtime.draft import Draft
from runtime.errors import PalaverError
from runtime.exactness import Exactness, find_exactness
from runtime.fallback import FallbackLines
from runtime.frame_budget import MAX_BUDGET_MS, MAX_FPS, MIN_LOAD, TICK_TIMEOUT_S, TICKER_GONE_S, FrameBudget
from runtime.job import PREFILL_CHUNK, Job, StepReport
from runtime.open_job import OpenJob
from runtime.outcome import Failed, Finished, Outcome
from runtime.plan import plan_job
from runtime.planner import DEFAULT_BATCH, MAX_BATCH, Planner
from runtime.prompt import PromptBuilder
from runtime.request import AskRequest
from runtime.schedule import MAX_OPEN_JOBS, NO_DEADLINE, Expire, Policy, Run, Scheduler, Ticket, replaced_error
from runtime.session import StepSession
from runtime.step_cost import PassKind, Shape
from runtime.text import LineReader

_log = logging.getLogger("palaver")


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
        max_batch: jobs that may share a pass, 1 to 64.
        tick_timeout_s: without a tick for this long the game counts as paused, and unused budget is lost.
        fallbacks: what remembers the last line of each character, if somebody else speaks for them too.

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
        max_batch: int = DEFAULT_BATCH,
        tick_timeout_s: float = TICK_TIMEOUT_S,
        fallbacks: FallbackLines | None = None,
    ) -> None:
        manifest = bundle.manifest
        self.bundle = bundle
        self._prompts = PromptBuilder(
            bundle.chat_template, bundle.tokenizer, manifest.tokens.special, manifest.tokens.bos, bundle.eos_token
        )
        self._threads = threads
        self._reader = LineReader(bundle.tokenizer, manifest.tokens)
        self._clock = clock
        self._scheduler = Scheduler(max_open)
        self._budget = FrameBudget(tick_timeout_s)
        self._compute = Compute(StepSession(bundle, threads) if session is None else session, clock, self._budget)
        self._planner = Planner(self._scheduler, self._compute, check_int("max_batch", max_batch, 1, MAX_BATCH))
        self._fallbacks = FallbackLines() if fallbacks is None else fallbacks
        self._ticker: Hashable = None
        self._open: dict[int, OpenJob] = {}
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

    @property
    def exactness(self) -> Exactness:
        """What `calibrate` found out about the bits of a line."""
        return self._planner.exactness

    def calibrate(self) -> None:
        """Run a few passes, to know what the usual shapes cost, and whether rows that share a pass change each other.

        Without it the first lines teach the costs, and only asks that are not `deterministic` share passes.

        Raises:
            ModelError: the graph fails.
        """
        session, geometry = self._compute.session, self.bundle.manifest.geometry
        calibrate(session, geometry, self._compute.cost, self._clock)
        self._planner.exactness = find_exactness(self.bundle, session, self._threads, self._planner.max_batch)

    def step_s(self) -> float:
        """Seconds that a denoising step of a full canvas behind a short prompt will hardly exceed; 0 if unknown."""
        return self._compute.pass_s(Shape(PassKind.DENOISE, self.bundle.manifest.geometry.canvas_length, PREFILL_CHUNK))

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
        now_s = self._clock()
        prompt_ids = self._prompts.build(request.npc, request.text, request.history)
        job = Job(self._last_id + 1, plan_job(self.bundle.manifest, prompt_ids, request), self._reader)
        deadline_s = NO_DEADLINE if request.deadline_ms is None else now_s + request.deadline_ms / 1000.0
        ticket = Ticket(job.id, (owner, request.npc.id), request.priority, now_s, deadline_s)
        for job_id in self._scheduler.admit(ticket, Policy(request.policy)):
            self.cancel(job_id)
            self._ended.append(Failed(job_id, replaced_error()))
        self._last_id = job.id
        self._open[job.id] = OpenJob(job, request, owner, now_s, on_step, on_draft)
        self._budget.owe(self._clock() - now_s)
        return job.id

    def cancel(self, job_id: int) -> bool:
        """Forget a job, which then has no outcome; False if it has ended already or never was."""
        self._scheduler.close(job_id)
        opened = self._open.pop(job_id, None)
        if opened is None:
            return False
        self._compute.leave(opened.job)
        return True

    def tick(self, frame: int, budget_ms: float, *, owner: Hashable = None) -> None:
        """A frame of the game begins: compute may take `budget_ms` from now; telling the same frame twice adds nothing.

        When the ticks of `owner` stay away for TICKER_GONE_S and others have asked, there is no limit until the next.

        Raises:
            RequestError: `budget_ms` is not in 0 to 1000.
        """
        check_int("frame", frame, 0, (1 << 63) - 1)
        self._ticker = owner
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
        match self._scheduler.next(now_s, self._unit_s):
            case Run(job_id):
                starts_in_s = min(self._budget.wait_s(now_s, self._unit_s(job_id)), self._limit_ends_in_s(now_s))
                return max(0.0, min(starts_in_s, self._scheduler.expires_s(self._unit_s) - now_s))
            case Expire():
                return 0.0
        return math.inf

    def step(self) -> tuple[Outcome, ...]:
        """Do at most one thing, run a unit of compute or end a job that is out of time; return what ended.

        A unit is a slice of an encode or of a denoising step, of one job or of several that share it, and runs only
        when the frame budget allows it. An exception from `on_step` or `on_draft` comes out of here, and its job is
        cancelled.
        """
        if not self._ended:
            self._do_next(self._clock())
        outcomes, self._ended = tuple(self._ended), []
        return outcomes

    def _do_next(self, now_s: float) -> None:
        if self._limit_ends_in_s(now_s) <= 0.0:
            self._budget.lift()
        match self._scheduler.next(now_s, self._unit_s):
            case Expire(job_id):
                self._expire(self._open[job_id])
            case Run(job_id) if self._budget.allows(now_s, self._unit_s(job_id)):
                self._run(self._open[job_id], now_s)

    def _limit_ends_in_s(self, now_s: float) -> float:
        """Seconds until the game that gives the budget counts as gone; infinite if nobody else waits."""
        others = any(opened.owner != self._ticker for opened in self._open.values())
        return TICKER_GONE_S - self._budget.silent_s(now_s) if others else math.inf

    def _run(self, leader: OpenJob, now_s: float) -> None:
        sharing = self._planner.company(leader, self._open, now_s)
        rows = len(sharing)
        try:
            shared = self._planner.pass_for(sharing, now_s)
            rows = shared.shape.batch
            ended_s = self._compute.run_slice(shared, now_s)
        # Whatever goes wrong inside one job (memory, a defect) must not take the others down.
        except Exception as error:
            self._give_up(sharing, error, rows)
        else:
            if shared.finished:
                self._hand_out(shared, sharing)
            # However little it is: of slices there are so many that what nobody pays for adds up.
            self._budget.owe(self._clock() - ended_s)

    def _give_up(self, sharing: list[OpenJob], error: Exception, rows: int) -> None:
        """End the job whose pass failed; of several, each tries once more on its own, to tell whose fault it was."""
        if rows == 1:
            self._fail(sharing[0], error)
            return
        for opened in sharing:
            self._compute.leave(opened.job)
            opened.alone = True

    def _hand_out(self, shared: SharedPass, sharing: list[OpenJob]) -> None:
        """Give every job what the finished pass computed for it; then tell of steps, and end the lines that are whole.

        All have theirs before anybody is told: a callback may cancel jobs, and may fail.
        """
        reports: list[tuple[OpenJob, StepReport | None]] = []
        for opened in sharing:
            self._compute.leave(opened.job)
            opened.alone = False
            opened.job.mixed |= shared.shape.batch > 1 and not self.exactness.rows
            try:
                reports.append((opened, opened.job.take(shared.result(opened.job))))
            except Exception as error:
                self._fail(opened, error)
        problems: list[BaseException] = []
        for opened, report in reports:
            if report is None or opened.id not in self._open:
                continue
            try:
                self._tell(opened, report)
            except BaseException as problem:
                self.cancel(opened.id)
                problems.append(problem)
            if opened.id in self._open and opened.job.finish_reason is not None:
                self._finish(opened)
        if problems:
            raise problems[0]

    def _tell(self, opened: OpenJob, report: StepReport) -> None:
        """Call the callbacks of a job; a line that has ended needs no draft."""
        if opened.on_step is not None:
            opened.on_step(report)
        if opened.on_draft is None or opened.id not in self._open or opened.job.finish_reason is not None:
            return
        now_s = self._clock()
        if now_s - opened.drafted_s >= (opened.request.draft_every_ms or 0) / 1000.0:
            opened.drafted_s = now_s
            opened.on_draft(opened.job.draft())

    def _unit_s(self, job_id: int) -> float:
        return self._compute.unit_s(self._open[job_id].job)

    def _expire(self, opened: OpenJob) -> None:
        self._planner.note_expiry(opened)
        opened.job.end_early()
        self._finish(opened)

    def _finish(self, opened: OpenJob) -> None:
        job, now_s, speaker = opened.job, self._clock(), self._scheduler[opened.id].speaker
        self.cancel(job.id)
        text = job.text or self._fallbacks.choose(speaker, opened.request.npc.fallbacks, job.plan.seed)
        self._fallbacks.note(speaker, text)
        queue_s = (now_s if opened.started_s is None else opened.started_s) - opened.submitted_s
        self._ended.append(Finished(job.id, job.line(text, queue_s=queue_s, total_s=now_s - opened.submitted_s)))

    def _fail(self, opened: OpenJob, error: Exception) -> None:
        self.cancel(opened.id)
        if not isinstance(error, PalaverError):
            _log.error("job %d failed", opened.id, exc_info=error)
            error = PalaverError(f"{type(error).__name__}: {error}", "Please report this", code="internal")
        self._ended.append(Failed(opened.id, error))
