"""Runs open jobs of any kind, one unit of compute at a time, and ends each of them once."""

import logging
import math
from collections.abc import Callable, Hashable
from functools import partial

from runtime.checks import check_int, check_number
from runtime.compute import Compute, SharedPass
from runtime.errors import PalaverError
from runtime.frame_budget import MAX_BUDGET_MS, MAX_FPS, MIN_LOAD, TICK_TIMEOUT_S, TICKER_GONE_S, FrameBudget
from runtime.open_job import OpenJob
from runtime.outcome import Failed, Outcome
from runtime.planner import DEFAULT_BATCH, MAX_BATCH, Planner
from runtime.schedule import MAX_OPEN_JOBS, NO_DEADLINE, Expire, Policy, Run, Scheduler, Ticket, replaced_error
from runtime.session import StepSession

_log = logging.getLogger("palaver")


class Runner:
    """Jobs from their submission to their one outcome; used by one thread.

    Args:
        session: the step graph.
        clock: seconds that only go forward.
        max_open: jobs open at once; beyond it the answer is "busy".
        max_batch: jobs that may share a pass, 1 to 64.
        tick_timeout_s: without a tick for this long the game counts as paused, and unused budget is lost.
    """

    def __init__(
        self,
        session: StepSession,
        clock: Callable[[], float],
        *,
        max_open: int = MAX_OPEN_JOBS,
        max_batch: int = DEFAULT_BATCH,
        tick_timeout_s: float = TICK_TIMEOUT_S,
    ) -> None:
        self._clock = clock
        self._scheduler = Scheduler(max_open)
        self._budget = FrameBudget(tick_timeout_s)
        self._compute = Compute(session, clock, self._budget)
        self._planner = Planner(self._scheduler, self._compute, check_int("max_batch", max_batch, 1, MAX_BATCH))
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

        A unit is a slice of an encode, of a denoising step or of a scoring pass, of one job or of several that share
        it, and runs only when the frame budget allows it. An exception from a job's callback comes out of here, and
        the job is cancelled.
        """
        if not self._ended:
            self._do_next(self._clock())
        outcomes, self._ended = tuple(self._ended), []
        return outcomes

    def _admit(self, opened: OpenJob, priority: int, deadline_ms: int | None, policy: Policy) -> int:
        """Take a job in and return its id.

        Raises:
            RequestError: there is no room ("busy", "npc-busy"); nothing has changed then.
        """
        came = opened.submission
        deadline_s = NO_DEADLINE if deadline_ms is None else came.at_s + deadline_ms / 1000.0
        ticket = Ticket(opened.id, came.speaker, priority, came.at_s, deadline_s)
        for job_id in self._scheduler.admit(ticket, policy):
            self.cancel(job_id)
            self._ended.append(Failed(job_id, replaced_error()))
        self._last_id = opened.id
        self._open[opened.id] = opened
        self._budget.owe(self._clock() - came.at_s)
        return opened.id

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
        others = any(opened.submission.owner != self._ticker for opened in self._open.values())
        return TICKER_GONE_S - self._budget.silent_s(now_s) if others else math.inf

    def _run(self, leader: OpenJob, now_s: float) -> None:
        sharing = self._planner.company(leader, self._open, now_s)
        began_with = len(sharing)
        try:
            shared = self._planner.pass_for(sharing, now_s)
            began_with = shared.sharing
            ended_s = self._compute.run_slice(shared, now_s)
        # Whatever goes wrong inside one job (memory, a defect) must not take the others down.
        except Exception as error:
            self._give_up(sharing, error, began_with)
        else:
            if shared.finished:
                self._hand_out(shared, sharing)
            # However little it is: of slices there are so many that what nobody pays for adds up.
            self._budget.owe(self._clock() - ended_s)

    def _give_up(self, sharing: list[OpenJob], error: Exception, began_with: int) -> None:
        """End the job whose pass failed; of several, each tries once more on its own, to tell whose fault it was."""
        if began_with == 1:
            self._fail(sharing[0], error)
            return
        for opened in sharing:
            self._compute.leave(opened.job)
            opened.alone = True

    def _hand_out(self, shared: SharedPass, sharing: list[OpenJob]) -> None:
        """Give every job what the finished pass computed for it; then tell of it, and end the jobs that have finished.

        All have theirs before anybody is told: a callback may cancel jobs, and may fail.
        """
        for opened in sharing:
            self._compute.leave(opened.job)
            opened.alone = False
            opened.job.mixed |= shared.sharing > 1 and not self._planner.exactness.rows
            try:
                opened.take(shared.result(opened.job))
            except Exception as error:
                self._fail(opened, error)
        problems: list[BaseException] = []
        for opened in sharing:
            if opened.id not in self._open:
                continue
            try:
                opened.tell(self._clock, partial(self._open.__contains__, opened.id))
            except BaseException as problem:
                self.cancel(opened.id)
                problems.append(problem)
            if opened.id in self._open and opened.job.finished:
                self._finish(opened)
        if problems:
            raise problems[0]

    def _unit_s(self, job_id: int) -> float:
        return self._compute.unit_s(self._open[job_id].job)

    def _expire(self, opened: OpenJob) -> None:
        self._planner.note_expiry(opened)
        try:
            opened.job.end_early()
        except Exception as error:
            self._fail(opened, error)
        else:
            self._finish(opened)

    def _finish(self, opened: OpenJob) -> None:
        self.cancel(opened.id)
        self._ended.append(opened.outcome(self._clock()))

    def _fail(self, opened: OpenJob, error: Exception) -> None:
        self.cancel(opened.id)
        if not isinstance(error, PalaverError):
            _log.error("job %d failed", opened.id, exc_info=error)
            error = PalaverError(f"{type(error).__name__}: {error}", "Please report this", code="internal")
        self._ended.append(Failed(opened.id, error))
