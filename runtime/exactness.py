"""Whether a line's numbers have the same bits alone and in company, and with one thread: found out where it runs.

Kernels choose their way by how many rows a product has, and ways differ in the order in which they add up. A mixture of
experts is the hard case: how many rows an expert gets depends on all the tokens of a pass, and a single row takes a way
of its own. So some of the trial passes have two tokens only, where an expert with a single row is the rule.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from runtime.batch import DenoiseWork, EncodeWork, Work, begin, row_of
from runtime.bundle import WEIGHTS_FILE, Bundle
from runtime.denoise import StepInputs, StepOutput
from runtime.prefill import PREFILL_CHUNK
from runtime.rng import CanvasDraws
from runtime.samplers import SAMPLERS
from runtime.session import Prefix, StepSession
from runtime.signature import Geometry

_SHORT = 2
_MOST_BYTES_LOADED_TWICE = 64 << 20

_log = logging.getLogger("palaver")


@dataclass(frozen=True, slots=True)
class Exactness:
    """What a model's numbers do not depend on, to the last bit, on this machine.

    Attributes:
        rows: what shares a pass; False while that is not known.
        threads: whether there is one thread or as many as now; None while that is not known.
    """

    rows: bool = False
    threads: bool | None = None


def find_exactness(bundle: Bundle, session: StepSession, threads: int, most_rows: int) -> Exactness:
    """Compare the bits of a few trial passes.

    Threads are not compared for a large model, which has to be loaded a second time for that.

    Raises:
        ModelError: the graph fails.
    """
    geometry = bundle.manifest.geometry
    rows = most_rows > 1 and rows_are_exact(session, geometry, most_rows)
    if threads == 1:
        return Exactness(rows, True)
    if (bundle.path / WEIGHTS_FILE).stat().st_size > _MOST_BYTES_LOADED_TWICE:
        return Exactness(rows)
    agree = sessions_agree(session, StepSession(bundle, threads=1), geometry)
    if not agree:
        _log.warning("with %d threads this model rounds otherwise than with one, and may say other lines", threads)
    return Exactness(rows, agree)


def sessions_agree(first: StepSession, second: StepSession, geometry: Geometry) -> bool:
    """Whether two sessions of a model give the same bits; a few trial passes. Raises ModelError."""
    for length in (PREFILL_CHUNK, PREFILL_CHUNK // 2 + 1, 5):
        ids = CanvasDraws(length).initial_canvas(length, geometry.vocab_size)[None]
        encode = EncodeWork(ids, None)
        prefix = _run(first, [encode])
        assert isinstance(prefix, Prefix)
        works: list[Work] = [
            encode,
            EncodeWork(ids, prefix),
            *(DenoiseWork(_inputs(geometry, 0, positions), prefix) for positions in _canvas_lengths(geometry)),
        ]
        if not all(_same(_run(first, [work]), _run(second, [work])) for work in works):
            return False
    return True


def rows_are_exact(session: StepSession, geometry: Geometry, most_rows: int) -> bool:
    """Whether rows of a pass of 2 to `most_rows` get the very bits that they would get alone; a few trial passes.

    Raises:
        ModelError: the graph fails.
    """
    rows, chunk = range(most_rows), min(PREFILL_CHUNK, (geometry.max_positions - geometry.canvas_length) // 2)
    texts = [CanvasDraws(row).initial_canvas(chunk, geometry.vocab_size)[None] for row in rows]
    # The cheap ones first, which nearly always show it where rows are not exact.
    if not _agree(session, [EncodeWork(text[:, :_SHORT], None) for text in texts], range(2, most_rows + 1)):
        return False
    # Prompts of different lengths, as those of different characters are, down to a single token.
    prompts = [EncodeWork(text, None, row * (chunk - 1) // max(1, most_rows - 1)) for row, text in enumerate(texts)]
    encoded = _run(session, prompts)
    prefixes = [prefix for row in rows if isinstance(prefix := row_of(encoded, row), Prefix)]
    short, *whole = (
        [DenoiseWork(_inputs(geometry, row, length), prefix) for row, prefix in enumerate(prefixes)]
        for length in (min(_SHORT, geometry.canvas_length), *_canvas_lengths(geometry))
    )
    behind = [EncodeWork(text, prefix) for text, prefix in zip(texts, prefixes, strict=True)]
    return (
        _agree(session, short, (most_rows,))
        and _agree(session, prompts, (most_rows,))
        and all(_agree(session, canvases, (2, most_rows)) for canvases in whole)
        and _agree(session, behind, (2,))
    )


def _agree(session: StepSession, works: Sequence[Work], shares: Iterable[int]) -> bool:
    """Whether rows give the same alone and as the first and the last of as many as `shares` says, one after another."""
    alone: dict[int, Prefix | StepOutput] = {}
    for rows in shares:
        together = _run(session, works[:rows])
        for row in (0, rows - 1):
            if row not in alone:
                alone[row] = _run(session, works[row : row + 1])
            if not _same(row_of(together, row), alone[row]):
                return False
    return True


def _run(session: StepSession, works: Sequence[Work]) -> Prefix | StepOutput:
    running = begin(session, works)
    while not running.finished:
        running.run_slice()
    result = running.result
    assert not isinstance(result, np.ndarray)
    return result


def _same(first: Prefix | StepOutput, second: Prefix | StepOutput) -> bool:
    return all(map(np.array_equal, _arrays(first), _arrays(second)))


def _arrays(result: Prefix | StepOutput) -> list[npt.NDArray[Any]]:
    """Of one row, without what belongs to padding: nobody ever sees that."""
    if isinstance(result, Prefix):
        return [array[:, :, int(result.pad_length[0]) :] for array in result.arrays]
    return [getattr(result, field.name) for field in fields(StepOutput)]


def _canvas_lengths(geometry: Geometry) -> list[int]:
    """Positions of a canvas under each of the samplers."""
    return sorted({sampler.canvas_length(geometry.canvas_length) for sampler in SAMPLERS.values()})


def _inputs(geometry: Geometry, row: int, length: int) -> StepInputs:
    draws = CanvasDraws(row)
    canvas, uniform = draws.initial_canvas(length, geometry.vocab_size), draws.uniform(0, length)
    soft_embeddings = np.resize(uniform - 0.5, (1, length, geometry.hidden_size)).astype(np.float32)
    temperature = np.array([0.4 + row / 10], dtype=np.float32)
    return StepInputs(canvas[None], soft_embeddings, temperature, uniform[None])
