"""How well each of several texts fits in one place, by the model's own denoising likelihood.

Each text is laid on a canvas of its own. A share of its tokens is replaced by noise, and the model tells in one pass
how probable it finds the right token in each noised position. That is done under a few patterns of noise, which are the
same for all texts, so that what is compared are the texts and not their luck. A text's score is the mean over all its
noised tokens: a sum would prefer short texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from runtime.denoise import Floats, Ints
from runtime.rng import CanvasDraws
from runtime.score import ScoreInputs
from runtime.step_cost import PassKind, Shape

ROWS_PER_PASS = 4
"""Canvases scored by one pass: more would make a unit of compute longer, and a text hardly cheaper."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NoisePattern:
    """Which positions of a canvas are noise, and what noise.

    Attributes:
        share: of the positions that are not clamped.
        seed: of positions and noise.
    """

    share: float
    seed: int


@dataclass(frozen=True, slots=True)
class OptionCanvases:
    """The texts, one a row.

    Attributes:
        ids: int64 [texts, length]; filled up with end tokens.
        clamped: positions at the start that every pattern leaves as they are, and that do not count.
        ends: int64 [texts], behind each text's first end token; what follows does not count.
    """

    ids: Ints
    clamped: int
    ends: Ints

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], eos: int, longest: int, clamped: Sequence[int] = ()) -> Self:
        """Lay texts, given as token ids, behind the same `clamped` ones; what is longer than `longest` is cut off."""
        rows = [[*clamped, *text, eos][:longest] for text in texts]
        length = max(map(len, rows))
        ids = np.array([row + [eos] * (length - len(row)) for row in rows], dtype=np.int64)
        return cls(ids, len(clamped), np.array([len(row) for row in rows], dtype=np.int64))


class Scoring:
    """Scores texts pass by pass: all of them under the first pattern, then under the next.

    Args:
        canvases: the texts.
        patterns: of noise.
        vocab_size: of the noise.
    """

    def __init__(self, canvases: OptionCanvases, patterns: Sequence[NoisePattern], vocab_size: int) -> None:
        texts, length = canvases.ids.shape
        self.rounds_done = 0
        self._canvases = canvases
        self._noise = [CanvasDraws(pattern.seed).initial_canvas(length, vocab_size) for pattern in patterns]
        self._is_noise = [_positions(pattern, canvases.clamped, length) for pattern in patterns]
        self._next_row = 0
        self._sums = np.zeros((len(patterns), texts))
        self._counts = np.zeros((len(patterns), texts))

    @property
    def finished(self) -> bool:
        """Every text was scored under every pattern."""
        return self.rounds_done == len(self._noise)

    @property
    def passes_left(self) -> int:
        """Passes until it is."""
        texts = len(self._canvases.ids)
        a_round = -(-texts // ROWS_PER_PASS)
        return (len(self._noise) - self.rounds_done) * a_round - self._next_row // ROWS_PER_PASS

    def next_pass(self, prefix_length: int) -> Shape:
        """Shape of the next pass behind so many positions."""
        rows = min(ROWS_PER_PASS, len(self._canvases.ids) - self._next_row)
        return Shape(PassKind.SCORE, self._canvases.ids.shape[1], prefix_length, rows)

    def inputs(self) -> ScoreInputs:
        """What the next pass reads; asking again changes nothing."""
        clean = self._canvases.ids[self._next_row : self._next_row + ROWS_PER_PASS]
        is_noise, noise = self._is_noise[self.rounds_done], self._noise[self.rounds_done]
        return ScoreInputs(np.where(is_noise, noise, clean), clean)

    def take(self, log_likelihood: Floats) -> None:
        """Go on with what the pass gave, float32 [rows, length]."""
        first, last = self._next_row, self._next_row + len(log_likelihood)
        position = np.arange(log_likelihood.shape[1])
        counted = self._is_noise[self.rounds_done] & (position < self._canvases.ends[first:last, None])
        self._sums[self.rounds_done, first:last] = np.where(counted, log_likelihood.astype(np.float64), 0.0).sum(axis=1)
        self._counts[self.rounds_done, first:last] = counted.sum(axis=1)
        self._next_row = last
        if last == len(self._canvases.ids):
            self.rounds_done, self._next_row = self.rounds_done + 1, 0

    def scores(self, rounds: int) -> Scores:
        """Mean natural logarithm of each text's noised tokens over the first `rounds` patterns, float64 [texts]."""
        scores: Scores = self._sums[:rounds].sum(axis=0) / np.maximum(1.0, self._counts[:rounds].sum(axis=0))
        return scores


def _positions(pattern: NoisePattern, clamped: int, length: int) -> npt.NDArray[np.bool_]:
    """Which of `length` positions are noise: the share of those behind the clamped ones with the smallest draws."""
    draws = CanvasDraws(pattern.seed).uniform(0, length)
    free = length - clamped
    order = clamped + np.argsort(draws[clamped:], kind="stable")
    is_noise = np.zeros(length, dtype=np.bool_)
    is_noise[order[: max(1, round(pattern.share * free))]] = True
    return is_noise
