import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.rng import SEED_LIMIT, CanvasDraws, Stream, raw_words

seeds = st.integers(0, SEED_LIMIT - 1)
steps = st.integers(0, 1000)
small = st.integers(0, 4)
lengths = st.integers(1, 300)
vocab_sizes = st.integers(1, 2**20)


def test_words_are_those_of_philox_4x64_10():
    """Known answer from the Random123 test vectors: zero key and counter. numpy counts up before it draws."""
    first = np.random.Philox(key=np.zeros(2, dtype=np.uint64), counter=np.full(4, 2**64 - 1, dtype=np.uint64))
    assert [hex(word) for word in first.random_raw(4)] == [
        "0x16554d9eca36314c",
        "0xdb20fe9d672d0fdc",
        "0xd7e772cee186176b",
        "0x7e68b68aec7ba23b",
    ]


def test_draws_of_one_seed_never_change():
    """These numbers are part of what a seed means; a change here changes every line ever reported with its seed."""
    draws = CanvasDraws(seed=7, canvas=1, attempt=2)
    assert draws.initial_canvas(6, 1000).tolist() == [561, 792, 420, 920, 475, 821]
    assert draws.renoise(3, 6, 1000).tolist() == [995, 275, 618, 959, 266, 204]
    assert (draws.uniform(3, 6) * 2**24).tolist() == [12242453, 446131, 4807258, 3803506, 4340671, 12074799]


@given(seeds, small, small, steps, lengths, vocab_sizes)
def test_draws_lie_in_range_and_have_their_types(seed, canvas, attempt, step, length, vocab_size):
    draws = CanvasDraws(seed, canvas, attempt)
    uniform = draws.uniform(step, length)
    assert uniform.dtype == np.float32 and uniform.shape == (length,)
    assert (uniform >= 0).all() and (uniform < 1).all()
    for ids in (draws.initial_canvas(length, vocab_size), draws.renoise(step, length, vocab_size)):
        assert ids.dtype == np.int64 and ids.shape == (length,)
        assert (ids >= 0).all() and (ids < vocab_size).all()


@given(seeds, st.lists(st.tuples(small, steps), min_size=2, max_size=6, unique=True), st.randoms())
def test_draws_do_not_depend_on_the_order_of_calls(seed, places, random):
    def draw(place):
        canvas, step = place
        return CanvasDraws(seed, canvas).uniform(step, 8).tolist()

    in_order = {place: draw(place) for place in places}
    shuffled = random.sample(places, len(places))
    assert {place: draw(place) for place in shuffled} == in_order


@given(seeds, lengths, st.integers(0, 50))
def test_a_shorter_draw_is_a_prefix_of_a_longer_one(seed, length, more):
    draws = CanvasDraws(seed)
    assert np.array_equal(draws.uniform(5, length), draws.uniform(5, length + more)[:length])


@given(seeds, st.integers(0, SEED_LIMIT - 1), small, small, steps)
def test_every_part_of_the_key_counts(seed, other_seed, attempt, canvas, step):
    base = {"seed": seed, "stream": Stream.SAMPLE, "attempt": attempt, "canvas": canvas, "step": step}
    variants = [base, base | {"attempt": attempt + 1}, base | {"canvas": canvas + 1}, base | {"step": step + 1}]
    variants += [base | {"stream": Stream.RENOISE}, base | {"stream": Stream.INITIAL_CANVAS}]
    if other_seed != seed:
        variants.append(base | {"seed": other_seed})
    words = [raw_words(**variant, count=4).tolist() for variant in variants]
    assert all(one != other for one, other in itertools.combinations(words, 2))


def test_ids_are_spread_evenly():
    ids = CanvasDraws(seed=1).initial_canvas(64_000, 64)
    counts = np.bincount(ids, minlength=64)
    assert counts.min() > 850 and counts.max() < 1150


@pytest.mark.parametrize("seed", [0, SEED_LIMIT - 1])
def test_the_ends_of_the_seed_range_work(seed):
    assert CanvasDraws(seed).uniform(0, 3).shape == (3,)
