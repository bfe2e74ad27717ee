"""A few passes at the start, so that the first deadline is planned with costs that were measured."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from runtime.batch import ScoreWork, begin
from runtime.choice_scoring import ROWS_PER_PASS
from runtime.denoise import Floats, StepInputs, StepOutput
from runtime.prefill import PREFILL_CHUNK
from runtime.rng import CanvasDraws
from runtime.samplers import SAMPLERS
from runtime.score import ScoreInputs
from runtime.session import Pass, Prefix, StepSession
from runtime.signature import Geometry
from runtime.step_cost import PassKind, Shape, StepCost

_ROUNDS = 4
_ENOUGH_S = 0.5
_FEW_TOKENS = 16


def calibrate(session: StepSession, geometry: Geometry, cost: StepCost, clock: Callable[[], float]) -> None:
    """Run and measure passes of every kind and of the usual shapes, after one round that does not count.

    Takes `_ROUNDS` rounds, fewer for a slow model: none begins once `_ENOUGH_S` seconds have gone by, except the first
    that counts.
    """
    began_s = clock()
    _round(session, geometry, StepCost(), clock)
    for done in range(_ROUNDS):
        if done and clock() - began_s > _ENOUGH_S:
            return
        _round(session, geometry, cost, clock)


def _round(session: StepSession, geometry: Geometry, cost: StepCost, clock: Callable[[], float]) -> None:
    chunk = min(PREFILL_CHUNK, (geometry.max_positions - geometry.canvas_length + 1) // 2)
    # Any tokens do, if they are all kinds: a model with experts spends less on a text of one word.
    ids = CanvasDraws(seed=0).initial_canvas(chunk, geometry.vocab_size)[None]
    prefix: Prefix | None = None
    for _ in range(2):
        length = 0 if prefix is None else prefix.length
        encoding = session.begin_encode(ids, prefix)
        _measure(encoding, Shape(PassKind.ENCODE, chunk, length), cost, clock)
        prefix = encoding.result
    assert prefix is not None
    # Most encodes are of the player's words, behind a persona that is encoded already.
    behind = session.begin_encode(ids[:, :_FEW_TOKENS], prefix)
    _measure(behind, Shape(PassKind.ENCODE, min(chunk, _FEW_TOKENS), prefix.length), cost, clock)
    for length in sorted({sampler.canvas_length(geometry.canvas_length) for sampler in SAMPLERS.values()}):
        canvas = CanvasDraws(seed=1)
        inputs = StepInputs(
            canvas=canvas.initial_canvas(length, geometry.vocab_size)[None],
            soft_embeddings=np.zeros((1, length, geometry.hidden_size), dtype=np.float32),
            temperature=np.ones(1, dtype=np.float32),
            uniform=canvas.uniform(0, length)[None],
        )
        step = session.begin_denoise(inputs, prefix)
        _measure(step, Shape(PassKind.DENOISE, length, prefix.length), cost, clock)
    length, canvas = geometry.canvas_length, CanvasDraws(seed=2)
    ids = np.stack([canvas.initial_canvas(length, geometry.vocab_size)] * ROWS_PER_PASS)
    scoring = begin(session, [ScoreWork(ScoreInputs(ids, ids), prefix)])
    _measure(scoring, Shape(PassKind.SCORE, length, prefix.length, ROWS_PER_PASS), cost, clock)


def _measure(
    running: Pass[Prefix] | Pass[StepOutput] | Pass[Floats], shape: Shape, cost: StepCost, clock: Callable[[], float]
) -> None:
    while not running.finished:
        began_s = clock()
        part = running.slices_done
        running.run_slice()
        cost.observe(replace(shape, part=part), clock() - began_s)
