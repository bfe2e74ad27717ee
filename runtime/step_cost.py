"""What the next unit of compute will cost, learned from those that were run."""

import math
from collections import deque
from dataclasses import dataclass
from enum import StrEnum

WINDOW = 16
"""Units of a shape that are remembered."""

_OUTLIERS = 1
_ENOUGH_TO_IGNORE_OUTLIERS = 4
_DOUBT = 0.9


class PassKind(StrEnum):
    """What a pass of the graph is for."""

    ENCODE = "encode"
    DENOISE = "denoise"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides the cost of a unit of compute.

    Attributes:
        kind: pass that it belongs to.
        length: positions of a row.
        prefix: positions in front of them.
        batch: rows that share the pass.
        part: index of the slice of the pass, from 0.
    """

    kind: PassKind
    length: int
    prefix: int
    batch: int = 1
    part: int = 0

    def bucket(self) -> "Shape":
        """The shape with length and prefix rounded up to powers of two: what shares a bucket costs about the same."""
        return Shape(self.kind, _power_of_two(self.length), _power_of_two(self.prefix), self.batch, self.part)

    def work(self) -> float:
        """Relative arithmetic: each position passes the layers once, and attends to all the others."""
        return self.batch * self.length * (1.0 + (self.prefix + self.length) / 1024)


class StepCost:
    """Expected duration of a unit: a high quantile of the last ones of the same bucket.

    The quantile is the second highest of the window. So one outlier (a page fault, a clock that drops for a moment)
    changes nothing, and what is slower for good is believed after its second unit; what is faster for good, after a
    window. A bucket that was never run is estimated from the nearest one by its arithmetic.
    """

    def __init__(self) -> None:
        self._seconds: dict[Shape, deque[float]] = {}
        self._expected_s: dict[Shape, float] = {}

    def observe(self, shape: Shape, seconds: float) -> None:
        """Remember that a unit of `shape` took `seconds`."""
        bucket = shape.bucket()
        seen = self._seconds.setdefault(bucket, deque(maxlen=WINDOW))
        seen.append(seconds)
        ignored = _OUTLIERS if len(seen) >= _ENOUGH_TO_IGNORE_OUTLIERS else 0
        self._expected_s[bucket] = sorted(seen)[-1 - ignored]

    def expected_s(self, shape: Shape) -> float:
        """Seconds that a unit of `shape` will hardly exceed; 0 while nothing of its kind was observed."""
        bucket = shape.bucket()
        known = self._expected_s.get(bucket)
        if known is not None:
            return known
        alike = [other for other in self._expected_s if (other.kind, other.part) == (bucket.kind, bucket.part)]
        if not alike:
            return 0.0
        nearest = min(alike, key=lambda other: abs(math.log(other.work() / bucket.work())))
        return self._expected_s[nearest] * max(1.0, bucket.work() / nearest.work())

    def doubt(self, shape: Shape) -> None:
        """Expect a little less of `shape` from now on, and forget what was seen.

        For an estimate that kept a unit from running: it would never be put to the test, so after a slow spell nothing
        might ever run again.
        """
        expected_s = self.expected_s(shape) * _DOUBT
        self._seconds.pop(shape.bucket(), None)
        self.observe(shape, expected_s)


def _power_of_two(size: int) -> int:
    return 1 << max(0, size - 1).bit_length()
