"""A clock for playing a game faster than it is: what is computed takes its time, waiting takes none."""

import time


class SkippingClock:
    """Seconds that go by as on the wall, and jump when there is nothing to do but wait."""

    def __init__(self) -> None:
        self._skipped_s = 0.0

    def __call__(self) -> float:
        return time.perf_counter() + self._skipped_s

    def skip_to(self, seconds: float) -> None:
        """Go on at this time, or now if it has gone by."""
        self._skipped_s += max(0.0, seconds - self())
