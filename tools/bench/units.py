"""An engine whose units of compute are timed from outside, by the clock on the wall."""

import time
from dataclasses import dataclass, field

from runtime.engine import Engine
from runtime.outcome import Outcome


@dataclass(slots=True)
class TimedEngine:
    """Runs an engine's units and keeps how long the longest took, its bookkeeping included."""

    engine: Engine
    longest_unit_s: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)

    def run_what_may_run(self) -> float:
        """Call `step()` once; returns the seconds that it took, and puts what ended into `outcomes`."""
        began_s = time.perf_counter()
        self.outcomes += self.engine.step()
        seconds = time.perf_counter() - began_s
        self.longest_unit_s = max(self.longest_unit_s, seconds)
        return seconds
