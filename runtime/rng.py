"""Every random draw, a pure function of (seed, stream, attempt, canvas, step, position).

Nothing is kept between draws, so a line does not depend on what was asked before or on what runs beside it. Only the
raw 64-bit words of numpy's Philox4x64-10 are used: they are fixed by the algorithm (Salmon et al. 2011), while the
numbers that numpy's Generator methods make of them may change from one release to the next.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

SEED_LIMIT = 2**63
"""Seeds lie in [0, SEED_LIMIT), so that they fit a signed 64-bit integer in every engine and message format."""


class Stream(IntEnum):
    """What a draw is for; each has its own key."""

    INITIAL_CANVAS = 0
    SAMPLE = 1
    RENOISE = 2
    FALLBACK = 3


def raw_words(seed: int, stream: Stream, *, attempt: int, canvas: int, step: int, count: int) -> npt.NDArray[np.uint64]:
    """`count` uniform 64-bit words, uint64 [count]; a shorter draw is a prefix of a longer one."""
    key = np.array([seed, stream], dtype=np.uint64)
    counter = np.array([0, step, canvas, attempt], dtype=np.uint64)
    return np.random.Philox(key=key, counter=counter).random_raw(count)


@dataclass(frozen=True, slots=True)
class CanvasDraws:
    """The draws of one canvas.

    Attributes:
        seed: 0 <= seed < SEED_LIMIT.
        canvas: index of the canvas in the line, from 0.
        attempt: index of the try, from 0; a re-roll counts up.
    """

    seed: int
    canvas: int = 0
    attempt: int = 0

    def initial_canvas(self, length: int, vocab_size: int) -> npt.NDArray[np.int64]:
        """The noise that a canvas starts from: ids uniform in [0, vocab_size), int64 [length]."""
        return self._ids(Stream.INITIAL_CANVAS, 0, length, vocab_size)

    def uniform(self, step: int, length: int) -> npt.NDArray[np.float32]:
        """What the sampler inverts: float32 [length] in [0, 1), all 24 bits of the mantissa random.

        `step` counts the steps already done on this canvas, from 0.
        """
        words = self._words(Stream.SAMPLE, step, length)
        return (words >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)

    def renoise(self, step: int, length: int, vocab_size: int) -> npt.NDArray[np.int64]:
        """Fresh noise for positions that were not accepted: ids uniform in [0, vocab_size), int64 [length]."""
        return self._ids(Stream.RENOISE, step, length, vocab_size)

    def _ids(self, stream: Stream, step: int, length: int, vocab_size: int) -> npt.NDArray[np.int64]:
        words = self._words(stream, step, length) >> np.uint64(32)
        return ((words * np.uint64(vocab_size)) >> np.uint64(32)).astype(np.int64)

    def _words(self, stream: Stream, step: int, length: int) -> npt.NDArray[np.uint64]:
        return raw_words(self.seed, stream, attempt=self.attempt, canvas=self.canvas, step=step, count=length)
