import numpy as np
import pytest

from runtime.batch import begin, row_of
from runtime.bundle import load_bundle
from runtime.prefill import PREFILL_CHUNK, Prefill
from runtime.prefix_cache import PrefixCache
from runtime.rng import CanvasDraws
from runtime.session import Prefix, StepSession
from runtime.step_cost import PassKind, Shape


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return StepSession(load_bundle(tiny_bundle))


def ids(session, length, seed=1):
    return CanvasDraws(seed).initial_canvas(length, session.geometry.vocab_size)


def run_pass(session, prefills):
    running = begin(session, [prefill.work() for prefill in prefills])
    while not running.finished:
        running.run_slice()
    for row, prefill in enumerate(prefills):
        result = row_of(running.result, row)
        assert isinstance(result, Prefix)
        prefill.take(result)


def encoded(session, prefill):
    """The prefix that comes of it, and the shapes of its passes."""
    shapes = []
    while not prefill.done:
        assert prefill.next_pass().length == prefill.work().ids.shape[1]
        shapes.append(prefill.next_pass())
        run_pass(session, [prefill])
    return prefill.prefix, shapes


def real(prefix):
    """What is ever attended."""
    return [array[:, :, int(prefix.pad_length[0]) :] for array in prefix.arrays]


def same_bits(first, second):
    return first.pad_length == second.pad_length and all(
        a.tobytes() == b.tobytes() for a, b in zip(real(first), real(second), strict=True)
    )


LENGTHS = [(10, 25), (64, 3), (60, 68), (130, 64), (100, 65), (3, 2)]


class TestWholePrompt:
    @pytest.mark.parametrize("length", [1, 63, 64, 65, 130])
    def test_it_is_padded_at_its_start_to_whole_chunks(self, session, length):
        prefix, shapes = encoded(session, Prefill(ids(session, length)))
        assert {shape.length for shape in shapes} == {PREFILL_CHUNK}
        assert (prefix.length % PREFILL_CHUNK, prefix.length - int(prefix.pad_length[0])) == (0, length)


class TestStablePart:
    @pytest.mark.parametrize(("stable", "rest"), LENGTHS)
    def test_its_padding_is_dropped_and_the_whole_is_padded_anew(self, session, stable, rest):
        prefix, shapes = encoded(session, Prefill(ids(session, stable + rest), stable))
        assert (prefix.length % PREFILL_CHUNK, prefix.length - int(prefix.pad_length[0])) == (0, stable + rest)
        behind = shapes[-(-stable // PREFILL_CHUNK) :]
        assert sum(shape.length for shape in behind) == rest
        assert min(shape.length for shape in behind) >= 2

    @pytest.mark.parametrize(("stable", "rest"), LENGTHS)
    def test_it_is_the_same_as_encoding_all_at_once_but_for_rounding(self, session, stable, rest):
        prompt = ids(session, stable + rest)
        prefix, _ = encoded(session, Prefill(prompt, stable))
        whole = session.encode(prompt[None])
        for ours, theirs in zip(real(prefix), whole.arrays, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)

    def test_passes_are_foretold(self, session):
        prefill = Prefill(ids(session, 200), 70)
        for left in (5, 4, 3, 2, 1):
            assert prefill.passes_left() == left
            run_pass(session, [prefill])
        assert prefill.done and prefill.passes_left() == 0


class TestCache:
    @pytest.mark.parametrize(("stable", "rest"), LENGTHS)
    def test_a_hit_has_the_very_bits_of_a_miss(self, session, stable, rest):
        prompt, cache = ids(session, stable + rest), PrefixCache()
        missed, _ = encoded(session, Prefill(prompt, stable, cache))
        hit, shapes = encoded(session, Prefill(prompt, stable, cache))
        alone, _ = encoded(session, Prefill(prompt, stable))
        assert (cache.made, cache.hits) == (1, 1)
        assert sum(shape.length for shape in shapes) == rest
        assert same_bits(missed, hit) and same_bits(missed, alone)

    def test_prompts_that_go_on_otherwise_share_it(self, session):
        start, cache = ids(session, 70), PrefixCache()
        for number, length in enumerate((12, 30, 64)):
            prompt = np.concatenate([start, ids(session, length, seed=2 + number)])
            prefix, _ = encoded(session, Prefill(prompt, len(start), cache))
            assert same_bits(prefix, encoded(session, Prefill(prompt, len(start)))[0])
        assert (cache.made, cache.hits) == (1, 2)

    def test_who_waits_finds_what_another_has_made_meanwhile(self, session):
        prompt, cache = ids(session, 80), PrefixCache()
        first, second = Prefill(prompt, 70, cache), Prefill(prompt, 70, cache)
        assert second.next_pass() == Shape(PassKind.ENCODE, PREFILL_CHUNK, 0)
        encoded(session, first)
        assert second.next_pass() == Shape(PassKind.ENCODE, 10, 2 * PREFILL_CHUNK - 10)
        assert same_bits(encoded(session, second)[0], first.prefix)

    def test_who_has_begun_goes_on(self, session):
        prompt, cache = ids(session, 80), PrefixCache()
        first, second = Prefill(prompt, 70, cache), Prefill(prompt, 70, cache)
        second.work()
        encoded(session, first)
        assert second.next_pass() == Shape(PassKind.ENCODE, PREFILL_CHUNK, 0)
        assert same_bits(encoded(session, second)[0], first.prefix)

    def test_what_may_have_been_rounded_otherwise_is_not_kept(self, session):
        prompt, cache = ids(session, 20), PrefixCache()
        prefill = Prefill(prompt, 10, cache)
        running = begin(session, [prefill.work()])
        running.run_slice()
        prefill.take(running.result, exact=False)
        assert (cache.made, len(cache)) == (0, 0)

    def test_what_comes_behind_never_changes_it(self, session):
        prompt, cache = ids(session, 80), PrefixCache()
        encoded(session, Prefill(prompt, 70, cache))
        before = [array.copy() for array in cache.get(prompt[:70].tobytes()).arrays]
        prefill = Prefill(prompt, 70, cache)
        encoded(session, prefill)
        prefill.extend(ids(session, 32, seed=9))
        encoded(session, prefill)
        after = cache.get(prompt[:70].tobytes()).arrays
        assert all(map(np.array_equal, before, after))


class TestCanvases:
    def test_they_are_encoded_behind_the_prompt(self, session):
        prefill, canvas = Prefill(ids(session, 80), 70), ids(session, 32, seed=9)
        before, _ = encoded(session, prefill)
        prefill.extend(canvas)
        assert not prefill.done and prefill.passes_left() == 1
        after, shapes = encoded(session, prefill)
        assert shapes == [Shape(PassKind.ENCODE, 32, before.length)]
        assert same_bits(after, session.encode(canvas[None], before))
