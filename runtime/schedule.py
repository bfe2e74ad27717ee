"""Which job runs next, and whether it still can: pure decisions, the time is passed in.

Inside a priority the earliest deadline goes first, which meets every deadline if any order does. A job without a
deadline is due `patience_s` after it came, and once overdue rises a priority each `aging_s`, so that no flow of newer
jobs can starve it. A character speaks one line at a time, its jobs in the order in which they came.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from runtime.errors import PalaverError, RequestError

MAX_OPEN_JOBS = 64
NO_DEADLINE = math.inf


class Policy(StrEnum):
    """What becomes of a job whose character has an open one already."""

    QUEUE = "queue"
    """It waits for its turn."""

    REPLACE = "replace"
    """It takes the place of all that are open."""

    REJECT = "reject"
    """It is refused."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the scheduler knows of a job.

    Attributes:
        job_id: unique among open jobs.
        speaker: whose line it is; one line at a time for each.
        priority: higher goes first.
        arrival_s: when it came.
        deadline_s: when its line has to be there; NO_DEADLINE for no limit.
    """

    job_id: int
    speaker: Hashable
    priority: int
    arrival_s: float
    deadline_s: float = NO_DEADLINE


@dataclass(frozen=True, slots=True)
class Run:
    """Give this job its next unit of compute."""

    job_id: int


@dataclass(frozen=True, slots=True)
class Expire:
    """End this job now with the best it has: its next unit would not end before its deadline."""

    job_id: int


class Scheduler:
    """Open jobs and their order.

    Args:
        max_open: jobs open at once; beyond it the answer is "busy".
        patience_s: how long after its arrival a job without a deadline is due.
        aging_s: time overdue that raises a job by one priority.
    """

    def __init__(self, max_open: int = MAX_OPEN_JOBS, *, patience_s: float = 5.0, aging_s: float = 1.0) -> None:
        self.max_open = max_open
        self.patience_s = patience_s
        self.aging_s = aging_s
        self._open: dict[int, Ticket] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Ticket]:
        """Open tickets in order of arrival."""
        return iter(self._open.values())

    def __getitem__(self, job_id: int) -> Ticket:
        return self._open[job_id]

    def admit(self, ticket: Ticket, policy: Policy) -> tuple[int, ...]:
        """Take a job in; returns the ids of the jobs that it replaces, which are no longer open.

        Raises:
            RequestError: too many jobs are open ("busy"), or the character has one and the policy is to refuse
                ("npc-busy"); nothing has changed then.
        """
        of_speaker = tuple(other.job_id for other in self if other.speaker == ticket.speaker)
        if of_speaker and policy is Policy.REJECT:
            raise npc_busy_error()
        replaced = of_speaker if policy is Policy.REPLACE else ()
        if len(self) - len(replaced) >= self.max_open:
            raise busy_error(self.max_open)
        for job_id in replaced:
            del self._open[job_id]
        self._open[ticket.job_id] = ticket
        return replaced

    def close(self, job_id: int) -> bool:
        """Forget a job that has ended; False if it was not open."""
        return self._open.pop(job_id, None) is not None

    def next(self, now_s: float, unit_cost_s: Callable[[int], float]) -> Run | Expire | None:
        """What to do at `now_s`, given what the next unit of a job is expected to cost in seconds; None if no job."""
        for ticket in self:
            # Written as in `expires_s`: rounded otherwise, a wait could end before the expiry that it is for.
            if ticket.deadline_s < NO_DEADLINE and now_s >= ticket.deadline_s - unit_cost_s(ticket.job_id):
                return Expire(ticket.job_id)
        speaking = self._speaking()
        if not speaking:
            return None
        return Run(min(speaking, key=lambda ticket: self._order(ticket, now_s)).job_id)

    def companions(
        self,
        job_id: int,
        now_s: float,
        alike: Collection[int],
        unit_s: Callable[[int], float],
        ends_s: Callable[[int], float],
    ) -> tuple[int, ...]:
        """Jobs that may share the pass which job `job_id` begins at `now_s`, most urgent first.

        As many as can be without anybody being late for it: the job itself would still end before its deadline with
        this company in all its passes, and the unit ends before the next deadline of all that are open.

        Args:
            alike: jobs whose next pass has the same shape; only the first of each other character is considered.
            unit_s: seconds that the unit is expected to take by the rows that share it; infinite for too many.
            ends_s: when the job is expected to end by the rows that share its passes.
        """
        mine = self._open[job_id]
        others = [ticket for ticket in self._speaking() if ticket.job_id in alike and ticket.job_id != job_id]
        next_deadline_s = min(ticket.deadline_s for ticket in self)
        fitting = 0
        while fitting < len(others):
            rows = fitting + 2
            lasts_s = unit_s(rows)
            if lasts_s == math.inf or now_s + lasts_s > next_deadline_s or ends_s(rows) > mine.deadline_s:
                break
            fitting += 1
        others.sort(key=lambda ticket: self._order(ticket, now_s))
        return tuple(ticket.job_id for ticket in others[:fitting])

    def expires_s(self, unit_cost_s: Callable[[int], float]) -> float:
        """When the first job will expire if nothing runs before; NO_DEADLINE if none will."""
        limited = (ticket for ticket in self if ticket.deadline_s < NO_DEADLINE)
        return min((ticket.deadline_s - unit_cost_s(ticket.job_id) for ticket in limited), default=NO_DEADLINE)

    def fair_share_s(self, job_id: int, now_s: float) -> float:
        """Seconds that an open job may use, so that jobs with later deadlines get as much until theirs.

        Up to each deadline from this job's on, the time is shared by all jobs due by then; the scarcest of these
        shares counts. NO_DEADLINE for a job without one.
        """
        mine = self._open[job_id].deadline_s
        due = sorted(ticket.deadline_s for ticket in self if ticket.deadline_s < NO_DEADLINE)
        shares = ((deadline_s - now_s) / count for count, deadline_s in enumerate(due, start=1) if deadline_s >= mine)
        return min(shares, default=NO_DEADLINE)

    def _speaking(self) -> Collection[Ticket]:
        """The first ticket of each character."""
        first: dict[Hashable, Ticket] = {}
        for ticket in self:
            first.setdefault(ticket.speaker, ticket)
        return first.values()

    def _order(self, ticket: Ticket, now_s: float) -> tuple[int, float, int]:
        """Sort key, most urgent first."""
        if ticket.deadline_s < NO_DEADLINE:
            return (-ticket.priority, ticket.deadline_s, ticket.job_id)
        due_s = ticket.arrival_s + self.patience_s
        risen = math.ceil(max(0.0, now_s - due_s) / self.aging_s)
        return (-ticket.priority - risen, due_s, ticket.job_id)


def busy_error(max_open: int) -> RequestError:
    """Why no further job is taken."""
    return RequestError(f"{max_open} asks are open, no more are taken", "Ask again when one has ended", code="busy")


def npc_busy_error() -> RequestError:
    """Why a job with Policy.REJECT is not taken."""
    return RequestError(
        "this character has an open line already",
        'Wait for it, cancel it, or ask with the policy "replace" or "queue"',
        code="npc-busy",
    )


def replaced_error() -> PalaverError:
    """What ends a job whose place a newer one takes."""
    return PalaverError("a newer ask of the same character took its place", code="replaced")
