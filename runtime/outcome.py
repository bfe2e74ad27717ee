"""How a job ends."""

from dataclasses import dataclass

from runtime.choice import Choice
from runtime.errors import PalaverError
from runtime.line import Line


@dataclass(frozen=True, slots=True)
class Finished:
    """A job that ended with a line."""

    job_id: int
    line: Line


@dataclass(frozen=True, slots=True)
class Chosen:
    """A job that ended with a choice."""

    job_id: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that ended with an error; the others go on."""

    job_id: int
    error: PalaverError


Outcome = Finished | Chosen | Failed


def line_of(outcome: Outcome) -> Line:
    """The line of a job that was to make one; raises the error that it ended with."""
    if isinstance(outcome, Failed):
        raise outcome.error
    assert isinstance(outcome, Finished)
    return outcome.line
