"""The step graph at work: which passes are on their way for which jobs, what they cost, and what the game allows."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from runtime.any_job import AnyJob
from runtime.batch import PassResult, begin, row_of
from runtime.denoise import Floats, StepOutput
from runtime.frame_budget import FrameBudget
from runtime.session import Pass, Prefix, StepSession
from runtime.step_cost import Shape, StepCost


class SharedPass:
    """A pass on its way, with a row for each of several jobs, or with all the rows that one job wants.

    Attributes:
        shape: with the number of rows as its batch.
        sharing: how many jobs it began with.
        jobs: those that still wait for it.
    """

    def __init__(self, session: StepSession, jobs: Sequence[AnyJob]) -> None:
        shape = jobs[0].next_pass()
        self.shape = replace(shape, batch=shape.batch * len(jobs))
        self.sharing = len(jobs)
        self.jobs = list(jobs)
        self._row = {job.id: row for row, job in enumerate(jobs)}
        self._running: Pass[Prefix] | Pass[StepOutput] | Pass[Floats] = begin(session, [job.work() for job in jobs])

    @property
    def finished(self) -> bool:
        """All slices have run."""
        return self._running.finished

    def next_unit(self) -> Shape:
        """Shape of the slice that `run_slice` will run."""
        return replace(self.shape, part=self._running.slices_done)

    def run_slice(self) -> None:
        """Run the next slice for all rows; raises ModelError for all of them."""
        self._running.run_slice()

    def result(self, job: AnyJob) -> PassResult:
        """What the finished pass gave for a job."""
        whole = self._running.result
        return whole if self.sharing == 1 else row_of(whole, self._row[job.id])


class Compute:
    """Runs the passes of jobs a slice at a time, and answers for the time that they take.

    Args:
        session: the step graph.
        clock: seconds that only go forward.
        budget: what the game allows.
    """

    def __init__(self, session: StepSession, clock: Callable[[], float], budget: FrameBudget) -> None:
        self.session = session
        self.cost = StepCost()
        self.budget = budget
        self._clock = clock
        self._passes: dict[int, SharedPass] = {}

    def running(self, job: AnyJob) -> SharedPass | None:
        """The pass that is on its way for a job."""
        return self._passes.get(job.id)

    def begin(self, jobs: Sequence[AnyJob]) -> SharedPass:
        """Put the next pass of these jobs, which has the same shape for all, on its way; nothing is computed yet."""
        shared = SharedPass(self.session, jobs)
        self._passes |= {job.id: shared for job in jobs}
        return shared

    def leave(self, job: AnyJob) -> None:
        """A job no longer waits for its pass, which goes on unchanged if others do."""
        shared = self._passes.pop(job.id, None)
        if shared is not None:
            shared.jobs.remove(job)

    def run_slice(self, shared: SharedPass, began_s: float) -> float:
        """Run the next slice, note what it cost, and pay for it; returns when it ended.

        Raises:
            ModelError: the graph fails, and with it the pass.
        """
        unit = shared.next_unit()
        expected_s = self.cost.expected_s(unit)
        try:
            shared.run_slice()
        finally:
            ended_s = self._clock()
            for job in shared.jobs:
                job.seconds[unit.kind] += ended_s - began_s
            self.cost.observe(unit, ended_s - began_s)
            self.budget.spend(ended_s, expected_s, ended_s - began_s)
        return ended_s

    def next_unit(self, job: AnyJob) -> Shape:
        """Shape of the unit that a job needs next; alone, if its next pass has not begun."""
        shared = self.running(job)
        return job.next_pass() if shared is None else shared.next_unit()

    def unit_s(self, job: AnyJob) -> float:
        """Seconds that this unit is expected to take."""
        return self.cost.expected_s(self.next_unit(job))

    def longest_unit_s(self, shape: Shape) -> float:
        """Seconds that the longest slice of a pass is expected to take."""
        return max(self._slices_s(shape))

    def pass_s(self, shape: Shape) -> float:
        """Seconds that all slices of a pass are expected to take; 0 if nothing like it was ever run."""
        return sum(self._slices_s(shape))

    def elapsed_s(self, shape: Shape) -> float:
        """Seconds that go by for a whole pass, waits for the frame budget included."""
        return sum(map(self.budget.elapsed_s, self._slices_s(shape)))

    def _slices_s(self, shape: Shape) -> list[float]:
        return [self.cost.expected_s(replace(shape, part=part)) for part in range(self.session.slices)]
