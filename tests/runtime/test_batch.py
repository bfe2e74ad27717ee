"""Rows of several lines in one pass of a real graph: what goes in, and what each gets back."""

import numpy as np
import pytest

from runtime.batch import DenoiseWork, EncodeWork, begin, row_of
from runtime.bundle import load_bundle
from runtime.denoise import StepInputs
from runtime.rng import CanvasDraws
from runtime.session import Prefix, StepSession


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return StepSession(load_bundle(tiny_bundle))


def run(session, *works):
    running = begin(session, works)
    while not running.finished:
        running.run_slice()
    return running.result


def text(seed, length, session):
    return CanvasDraws(seed).initial_canvas(length, session.geometry.vocab_size)[None]


def prompt(seed, length, session, chunk=16):
    return EncodeWork(np.pad(text(seed, length, session), ((0, 0), (chunk - length, 0))), None, chunk - length)


def canvas(seed, session, length=8):
    soft_embeddings = np.full((1, length, session.geometry.hidden_size), 0.01 * seed, dtype=np.float32)
    temperature = np.array([0.3 + 0.1 * seed], dtype=np.float32)
    return StepInputs(
        text(seed, length, session), soft_embeddings, temperature, CanvasDraws(seed).uniform(0, length)[None]
    )


def real(prefix):
    return [array[:, :, int(prefix.pad_length[0]) :] for array in prefix.arrays]


def assert_close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_prompts_of_any_length_share_a_chunk(session):
    lengths = (16, 9, 2, 1)
    together = run(session, *(prompt(seed, length, session) for seed, length in enumerate(lengths)))
    assert together.pad_length.tolist() == [0, 7, 14, 15]
    for row, length in enumerate(lengths):
        mine = row_of(together, row)
        assert mine.length == 16
        assert_close(real(mine), session.encode(text(row, length, session)).arrays)


@pytest.mark.parametrize("length", [1, 2, 5, 16])
def test_alone_padding_is_not_computed(session, length):
    work = prompt(3, length, session)
    computed = []

    class Watched:
        geometry = session.geometry

        def begin_encode(self, ids, prefix):
            computed.append(ids.shape[1])
            return session.begin_encode(ids, prefix)

    mine = run(Watched(), work)
    # A single position would go through other kernels than it does in company.
    assert computed == [max(2, length)]
    assert (mine.length, mine.pad_length.tolist()) == (16, [16 - length])
    assert_close(real(mine), session.encode(text(3, length, session)).arrays)


def test_steps_behind_prompts_of_any_length_are_those_without_padding(session):
    lengths = (16, 9, 1)
    prefixes = [run(session, prompt(seed, length, session)) for seed, length in enumerate(lengths)]
    works = [DenoiseWork(canvas(seed, session), prefix) for seed, prefix in enumerate(prefixes)]
    together = run(session, *works)
    for row, length in enumerate(lengths):
        expected = session.denoise(canvas(row, session), session.encode(text(row, length, session)))
        mine = row_of(together, row)
        assert_close((mine.entropy, mine.soft_embeddings), (expected.entropy, expected.soft_embeddings))
        assert mine.sampled.tolist() == expected.sampled.tolist()


def test_later_chunks_share_a_pass_too(session):
    firsts = [run(session, prompt(seed, length, session)) for seed, length in enumerate((16, 5))]
    together = run(session, *(EncodeWork(text(seed + 9, 16, session), first) for seed, first in enumerate(firsts)))
    for row, first in enumerate(firsts):
        assert_close(real(row_of(together, row)), real(session.encode(text(row + 9, 16, session), first)))


def test_a_row_of_a_prefix_keeps_no_other_in_memory(session):
    together = run(session, prompt(0, 16, session), prompt(1, 16, session))
    mine = row_of(together, 1)
    assert isinstance(mine, Prefix)
    assert all(array.base is None for array in mine.arrays)
