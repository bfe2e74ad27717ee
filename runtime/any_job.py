"""A job as whoever runs it sees it, whatever comes of it in the end."""

from typing import Protocol

from runtime.batch import Work
from runtime.step_cost import PassKind, Shape


class AnyJob(Protocol):
    """Passes to compute, one after another, until it has finished; it knows of no clock.

    Attributes:
        mixed: it was in a pass with others whose rows may have changed how its own were rounded.
    """

    mixed: bool

    @property
    def id(self) -> int:
        """Unique among the jobs of an engine."""
        ...

    @property
    def seconds(self) -> dict[PassKind, float]:
        """Seconds of compute, by kind of pass; of a pass that it shared, all."""
        ...

    @property
    def finished(self) -> bool:
        """Nothing is left to compute."""
        ...

    @property
    def steps_done(self) -> int:
        """Steps towards its end; 0 while nothing would come of it."""
        ...

    @property
    def passes_to_plan(self) -> int:
        """Passes that it wants for what comes next, and that nobody has promised yet; 0 if there is no choice."""
        ...

    def plan_steps(self, passes: int) -> None:
        """Settle what it does with so many of them."""
        ...

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        ...

    def passes_left(self) -> int:
        """Most passes until it has finished."""
        ...

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing."""
        ...

    def end_early(self) -> None:
        """End with the best there is."""
        ...
