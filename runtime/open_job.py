"""A job with what the engine has to know beside it: whose it is, when it came, and how it is told of."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from runtime.any_job import AnyJob
from runtime.batch import PassResult
from runtime.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Submission:
    """Where a job comes from.

    Attributes:
        owner: whose ask it is.
        speaker: whose turn it takes.
        at_s: when it came, in seconds of the engine's clock.
    """

    owner: Hashable
    speaker: Hashable
    at_s: float


class OpenJob(ABC):
    """A job that has not ended.

    Attributes:
        job: what is computed.
        submission: where it comes from.
        deterministic: nothing that shares its passes may change a bit of it.
        started_s: when its first pass began, in seconds of the engine's clock; None before.
        alone: its next pass failed in company, and is tried again without.
    """

    def __init__(self, job: AnyJob, submission: Submission, *, deterministic: bool) -> None:
        self.job = job
        self.submission = submission
        self.deterministic = deterministic
        self.started_s: float | None = None
        self.alone = False

    @property
    def id(self) -> int:
        """Of the job."""
        return self.job.id

    @abstractmethod
    def take(self, result: PassResult) -> None:
        """Go on with what the job's pass gave."""

    @abstractmethod
    def tell(self, now_s: Callable[[], float], is_open: Callable[[], bool]) -> None:
        """Call whoever wants to hear of the pass; as long as the job is open, for each of them may cancel it."""

    @abstractmethod
    def outcome(self, now_s: float) -> Outcome:
        """How the job has ended."""

    def queue_s(self, now_s: float) -> float:
        """Seconds from its submission to its first pass, or until now if there was none."""
        return (now_s if self.started_s is None else self.started_s) - self.submission.at_s
