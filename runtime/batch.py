"""One pass of the graph for several lines: their rows put together, and the row of each taken out again.

What a row sees must not depend on its company. So only passes of the same shape are put together, and no row is padded
to the length of another: prompts are padded at their start to whole chunks, always, alone or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from runtime.denoise import Floats, Ints, StepInputs, StepOutput
from runtime.score import ScoreInputs
from runtime.session import Pass, Prefix, StepSession


@dataclass(frozen=True, slots=True)
class EncodeWork:
    """Tokens of one line to encode, int64 [1, length], and what stands before them.

    Attributes:
        pad_length: tokens at the start of `ids` that are padding; only where nothing stands before them.
    """

    ids: Ints
    prefix: Prefix | None
    pad_length: int = 0


@dataclass(frozen=True, slots=True)
class DenoiseWork:
    """A step of one canvas (a batch of one), and what stands before it."""

    inputs: StepInputs
    prefix: Prefix


@dataclass(frozen=True, slots=True)
class ScoreWork:
    """Canvases to score, any number of them, and the one text that stands before each; shared with nobody."""

    inputs: ScoreInputs
    prefix: Prefix


Work = EncodeWork | DenoiseWork | ScoreWork

PassResult = Prefix | StepOutput | Floats
"""What a pass gives, by the kind of work: the longer prefix, the step, the logarithms [canvases, length]."""

FEWEST_SHARED_POSITIONS = 2
"""A pass over a single position multiplies single rows, for which kernels have a way of their own: it is not shared."""


def begin(session: StepSession, works: Sequence[Work]) -> Pass[Prefix] | Pass[StepOutput] | Pass[Floats]:
    """A pass with a row for each of these, in order; all are of one kind, and have the same lengths.

    Work that is shared with nobody comes alone, and fills all rows of its pass.
    """
    if isinstance(works[0], ScoreWork):
        (alone,) = works
        assert isinstance(alone, ScoreWork)
        return session.begin_score(alone.inputs, _stacked([alone.prefix] * len(alone.inputs.canvas)))
    encodes = [work for work in works if isinstance(work, EncodeWork)]
    if encodes:
        return _begin_encode(session, encodes)
    steps = [work for work in works if isinstance(work, DenoiseWork)]
    names = [field.name for field in fields(StepInputs)]
    inputs = StepInputs(*(np.concatenate([getattr(work.inputs, name) for work in steps]) for name in names))
    return session.begin_denoise(inputs, _stacked([work.prefix for work in steps]))


def _begin_encode(session: StepSession, works: Sequence[EncodeWork]) -> Pass[Prefix]:
    ids = np.concatenate([work.ids for work in works])
    prefixes = [work.prefix for work in works if work.prefix is not None]
    if prefixes:
        return session.begin_encode(ids, _stacked(prefixes))
    pad_length = np.array([work.pad_length for work in works], dtype=np.int64)
    # Padding that all rows have is not computed but put in as zeros, which are attended as little: so a row alone pays
    # for its own tokens only. Two positions are left, because products of one row take another way.
    skipped = max(0, min(int(pad_length.min()), ids.shape[1] - FEWEST_SHARED_POSITIONS))
    nothing = Prefix.empty(session.geometry, pad_length)
    zeros = (np.pad(array, ((0, 0), (0, 0), (skipped, 0), (0, 0))) for array in nothing.arrays)
    return session.begin_encode(ids[:, skipped:], Prefix(tuple(zeros), pad_length))


def row_of(result: PassResult, row: int) -> Prefix | StepOutput:
    """One row of what a pass gave that rows may share, again with a batch of one."""
    assert not isinstance(result, np.ndarray)
    if isinstance(result, Prefix):
        # Copied: as a view, the prefix of a line that has ended would live as long as any of its companions'.
        arrays = tuple(array[row : row + 1].copy() for array in result.arrays)
        return Prefix(arrays, result.pad_length[row : row + 1].copy())
    return StepOutput(*(getattr(result, field.name)[row : row + 1].copy() for field in fields(StepOutput)))


def _stacked(prefixes: Sequence[Prefix]) -> Prefix:
    """Prefixes of the same length as the rows of one."""
    if len(prefixes) == 1:
        return prefixes[0]
    arrays = (np.concatenate(of_rows) for of_rows in zip(*(prefix.arrays for prefix in prefixes), strict=True))
    return Prefix(tuple(arrays), np.concatenate([prefix.pad_length for prefix in prefixes]))
