"""A choice on its way through the engine."""

from collections.abc import Callable

from runtime.batch import PassResult
from runtime.choice_job import ChoiceJob
from runtime.open_job import OpenJob, Submission
from runtime.outcome import Chosen


class OpenChoice(OpenJob):
    """A choice that has not ended; nobody is told of it before."""

    def __init__(self, job: ChoiceJob, submission: Submission) -> None:
        super().__init__(job, submission, deterministic=True)
        self._choice_job = job

    def take(self, result: PassResult) -> None:
        """Go on with what the job's pass gave."""
        self._choice_job.take(result)

    def tell(self, now_s: Callable[[], float], is_open: Callable[[], bool]) -> None:
        """Nobody wants to hear."""

    def outcome(self, now_s: float) -> Chosen:
        """The choice."""
        total_s = now_s - self.submission.at_s
        return Chosen(self.id, self._choice_job.choice(queue_s=self.queue_s(now_s), total_s=total_s))
