"""How much compute the game allows just now: time that it gives frame by frame, or a share of a core.

Either way there is a credit in seconds that grows with time and pays for each unit of compute. A unit starts only if
the credit covers what it is expected to cost. What is left carries over up to a bound, so that a unit longer than a
frame's budget runs every few frames instead of never; what a unit costs more than expected is owed by the frames that
follow. So over any run of frames, compute is at most what they gave, plus a frame's budget and one unit carried in.
"""

import math
from collections import deque
from statistics import fmean

TICK_TIMEOUT_S = 0.25
"""Default time without a tick after which the game counts as paused."""

TICKER_GONE_S = 10.0
"""Without a tick for this long, the game that gave the budget counts as gone for all others who wait."""

MAX_BUDGET_MS = 1000.0
MAX_FPS = 1000.0
MIN_LOAD = 0.001

_FRAMES_REMEMBERED = 8
_USUAL_FRAME_S = 1.0 / 60.0


class FrameBudget:
    """Credit for compute; unlimited until the first `tick` or `pace`, and then as the last of them says.

    All times are in seconds of one clock that only goes forward.

    Args:
        tick_timeout_s: without a tick for this long the game counts as paused, and the credit is lost.
    """

    def __init__(self, tick_timeout_s: float = TICK_TIMEOUT_S) -> None:
        self.tick_timeout_s = tick_timeout_s
        self._credit_s = math.inf
        # What a frame gives, and when the present one began; with a share of a core there is no frame to keep to.
        self._budget_s = math.inf
        self._frame_began_s: float | None = None
        self._frame = 0
        self._ran_in_frame = False
        self._frames: deque[tuple[float, float]] = deque(maxlen=_FRAMES_REMEMBERED)
        self._max_load: float | None = None
        self._accrued_s = 0.0

    def tick(self, now_s: float, frame: int, budget_s: float) -> None:
        """A frame begins and gives `budget_s`, to be used right behind the tick; the same frame again gives nothing."""
        if self._frame_began_s is not None and frame == self._frame:
            return
        self._frame = frame
        if self._frame_began_s is None:
            self._credit_s = 0.0
            self._frames.clear()
        elif now_s - self._frame_began_s > self.tick_timeout_s:
            self._credit_s = min(0.0, self._credit_s)
        else:
            self._frames.append((now_s - self._frame_began_s, budget_s))
        self._max_load = None
        self._frame_began_s = now_s
        self._ran_in_frame = False
        self._budget_s = budget_s
        self._credit_s += budget_s

    def pace(self, now_s: float, max_load: float, fps: float) -> None:
        """From now on compute takes at most `max_load` of one core's time, and not much more in any 1 / `fps`."""
        self._accrue(now_s)
        # Told again, even each frame, it takes nothing away; what was left of ticks or of no limit does not count.
        self._credit_s = min(self._credit_s, 0.0 if self._max_load is None else math.inf)
        self._frame_began_s = None
        self._max_load = max_load
        self._budget_s = max_load / fps
        self._accrued_s = now_s

    @property
    def frame_gives_s(self) -> float:
        """Compute of one frame; infinite without a limit."""
        return self._budget_s

    def silent_s(self, now_s: float) -> float:
        """Seconds since the last tick, if ticks give the budget; 0 otherwise."""
        return 0.0 if self._frame_began_s is None else now_s - self._frame_began_s

    def lift(self) -> None:
        """No limit any more, until the next `tick` or `pace`."""
        self._frame_began_s = self._max_load = None
        self._credit_s = self._budget_s = math.inf

    def carry_bound_s(self, unit_s: float) -> float:
        """Most credit there can be when a unit of `unit_s` is next: that unit and one frame's budget."""
        return unit_s + self._budget_s

    def allows(self, now_s: float, unit_s: float) -> bool:
        """Whether a unit that is expected to take `unit_s` may start now."""
        self._accrue(now_s)
        if unit_s > self._credit_s:
            return False
        if self._frame_began_s is None:
            return True
        ends_s = self._frame_began_s + min(self._budget_s, self.tick_timeout_s)
        # The first unit of a frame may be longer than the budget, any other has to end inside it.
        return now_s < ends_s if not self._ran_in_frame else now_s + unit_s <= ends_s

    def spend(self, now_s: float, expected_s: float, seconds: float) -> None:
        """Pay for a unit that has just ended at `now_s`: it was allowed as `expected_s` and took `seconds`."""
        self._ran_in_frame = True
        self._credit_s = min(self._credit_s, self.carry_bound_s(expected_s)) - seconds
        self._accrue(now_s)

    def owe(self, seconds: float) -> None:
        """Pay for what was done beside a unit."""
        self._credit_s -= seconds

    def wait_s(self, now_s: float, unit_s: float) -> float:
        """Seconds until a unit of `unit_s` may start: 0 for now, infinite if only a tick can allow it."""
        if self.allows(now_s, unit_s):
            return 0.0
        return math.inf if self._max_load is None else (unit_s - self._credit_s) / self._max_load

    def elapsed_s(self, unit_s: float) -> float:
        """Seconds that pass for each unit of `unit_s` when many are run one after another, as frames were lately."""
        if self._max_load is not None:
            return unit_s / self._max_load
        if self._frame_began_s is None:
            return unit_s
        frame_s = fmean(length for length, _ in self._frames) if self._frames else _USUAL_FRAME_S
        budget_s = fmean(budget for _, budget in self._frames) if self._frames else self._budget_s
        if unit_s == 0.0 or budget_s == 0.0:
            return 0.0 if unit_s == 0.0 else math.inf
        units_a_frame = budget_s / unit_s
        return max(unit_s, frame_s / (math.floor(units_a_frame) if units_a_frame >= 1.0 else units_a_frame))

    def _accrue(self, now_s: float) -> None:
        if self._max_load is not None:
            self._credit_s += (now_s - self._accrued_s) * self._max_load
            self._accrued_s = now_s
