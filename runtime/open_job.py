"""A job with what the engine has to know beside it: whose it is, when it came, and who wants to be told."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from runtime.draft import Draft
from runtime.job import Job, StepReport
from runtime.request import AskRequest


@dataclass(slots=True, eq=False)
class OpenJob:
    """A job that has not ended; times in seconds of the engine's clock.

    Attributes:
        owner: whose ask it is.
        alone: its next pass failed in company, and is tried again without.
    """

    job: Job
    request: AskRequest
    owner: Hashable
    submitted_s: float
    on_step: Callable[[StepReport], None] | None
    on_draft: Callable[[Draft], None] | None
    drafted_s: float = -math.inf
    started_s: float | None = None
    alone: bool = False

    @property
    def id(self) -> int:
        """Of the job."""
        return self.job.id
