"""What a pass is for when it begins: which jobs share it, and how many steps their canvases get.

Jobs of the same shape share a pass if nobody's bits, deadline or frame suffers from it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from runtime.any_job import AnyJob
from runtime.batch import FEWEST_SHARED_POSITIONS
from runtime.compute import Compute, SharedPass
from runtime.exactness import Exactness
from runtime.open_job import OpenJob
from runtime.schedule import Scheduler
from runtime.step_cost import PassKind
from runtime.step_plan import steps_in_time

MAX_BATCH = 64
DEFAULT_BATCH = 4
"""Rows that share a pass by default; more make passes longer, and lines hardly cheaper."""


class Planner:
    """Begins passes.

    Args:
        scheduler: knows the order and the deadlines.
        compute: knows what passes cost, and what the game allows.
        max_batch: jobs that may share a pass.
    """

    def __init__(self, scheduler: Scheduler, compute: Compute, max_batch: int) -> None:
        self.max_batch = max_batch
        self.exactness = Exactness()
        self._scheduler = scheduler
        self._compute = compute

    def company(self, leader: OpenJob, open_jobs: Mapping[int, OpenJob], now_s: float) -> list[OpenJob]:
        """Those who share the pass that is on its way for `leader`, or would share the one that begins now."""
        shared = self._compute.running(leader.job)
        if shared is not None:
            return [open_jobs[job.id] for job in shared.jobs]
        return [leader, *(open_jobs[job_id] for job_id in self._companions(leader, open_jobs.values(), now_s))]

    def pass_for(self, company: Sequence[OpenJob], now_s: float) -> SharedPass:
        """The pass that is on its way for these jobs, or now begins."""
        shared = self._compute.running(company[0].job)
        if shared is not None:
            return shared
        for opened in company:
            opened.started_s = now_s if opened.started_s is None else opened.started_s
            if wanted := opened.job.passes_to_plan:
                opened.job.plan_steps(self._passes_in_time(opened.job, wanted, now_s))
        return self._compute.begin([opened.job for opened in company])

    def note_expiry(self, opened: OpenJob) -> None:
        """A job is out of time; if nothing could be run for it, the estimates that say so are doubted a little."""
        job, unit = opened.job, self._compute.next_unit(opened.job)
        alone_s = self._scheduler[job.id].deadline_s - opened.submission.at_s - sum(job.seconds.values())
        if job.steps_done == 0 and self._compute.cost.expected_s(unit) > alone_s:
            self._compute.cost.doubt(unit)

    def _companions(self, leader: OpenJob, others: Iterable[OpenJob], now_s: float) -> tuple[int, ...]:
        if self.max_batch == 1 or not self._is_free(leader):
            return ()
        alike = [other.id for other in others if self._is_free(other) and self._may_mix(leader, other)]
        shape, budget = leader.job.next_pass(), self._compute.budget

        def unit_s(rows: int) -> float:
            longest_s = self._compute.longest_unit_s(replace(shape, batch=rows))
            # A unit that is longer than a frame's budget anyway may not be made longer still.
            fits = longest_s <= budget.frame_gives_s and budget.allows(now_s, longest_s)
            return longest_s if fits and rows <= self.max_batch else math.inf

        def ends_s(rows: int) -> float:
            return now_s + leader.job.passes_left() * self._compute.elapsed_s(replace(shape, batch=rows))

        return self._scheduler.companions(leader.id, now_s, alike, unit_s, ends_s)

    def _passes_in_time(self, job: AnyJob, wanted: int, now_s: float) -> int:
        """Passes that fit into the job's share of the time, as many as are `wanted` at most."""
        return steps_in_time(
            wanted,
            self._compute.elapsed_s(job.next_pass()),
            shared_s=self._scheduler.fair_share_s(job.id, now_s),
            alone_s=self._scheduler[job.id].deadline_s - now_s,
        )

    def _is_free(self, opened: OpenJob) -> bool:
        shape, begins = opened.job.next_pass(), self._compute.running(opened.job) is None
        may_share = shape.kind is not PassKind.SCORE and shape.length >= FEWEST_SHARED_POSITIONS
        return begins and not opened.alone and may_share

    def _may_mix(self, leader: OpenJob, other: OpenJob) -> bool:
        harmless = self.exactness.rows or not (leader.deterministic or other.deterministic)
        return harmless and leader.job.next_pass() == other.job.next_pass()
