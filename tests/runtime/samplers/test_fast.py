"""The fast sampler: what it accepts, when it stops, and what it does not look at."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.denoise import Canvas, Clamp, DenoiseSettings, StepOutput
from runtime.rng import CanvasDraws
from runtime.samplers import SAMPLERS
from runtime.samplers.fast import FastSampler, line_length

END = 1
VOCAB_SIZE = 20
SAMPLER = FastSampler()
SETTINGS = DenoiseSettings(
    vocab_size=VOCAB_SIZE,
    hidden_size=1,
    eos_token_ids=frozenset({END, 3}),
    sampler=SAMPLER,
    steps=4,
    entropy_bound=0.1,
    t_min=0.4,
    t_max=0.8,
    stability_threshold=1,
    confidence_threshold=0.005,
)

steps = st.integers(1, 64)
canvases = (
    st.integers(1, 24)
    .flatmap(
        lambda length: st.tuples(
            st.lists(st.integers(0, VOCAB_SIZE - 1), min_size=length, max_size=length),
            st.lists(st.floats(0, 8, width=32), min_size=length, max_size=length),
        )
    )
    .map(lambda drawn: (np.array(drawn[0], dtype=np.int64), np.array(drawn[1], dtype=np.float32)))
)


def decide(argmax, entropy, *, earlier=(), steps_left=4, **changes):
    settings = replace(SETTINGS, **changes)
    return SAMPLER.decide(np.array(argmax), np.array(entropy, dtype=np.float32), earlier, steps_left, settings)


class TestLineLength:
    @pytest.mark.parametrize(
        ("argmax", "length"), [([5, 6, 7], 3), ([5, END, 7], 2), ([5, 3, END], 2), ([END, 5, 6], 1)]
    )
    def test_a_line_ends_with_its_first_end_token(self, argmax, length):
        assert line_length(np.array(argmax), SETTINGS.eos_token_ids) == length


class TestAccept:
    def test_the_tail_is_always_kept_and_never_in_place_of_the_line(self):
        decision = decide([5, 6, 7, END, 9, 9], [2.0, 1.0, 3.0, 4.0, 8.0, 0.0])
        assert decision.accepted.tolist() == [False, True, False, False, True, True]

    def test_more_of_the_line_is_kept_the_fewer_steps_are_left(self):
        kept = [decide([5] * 16, np.arange(1, 17), steps_left=left).accepted.sum() for left in (4, 3, 2, 1)]
        assert kept == sorted(kept) and kept[0] < kept[-1] == 16

    def test_certain_positions_are_kept_from_the_first_step_on(self):
        assert decide([5] * 8, [0.01] * 7 + [3.0], steps_left=64, steps=64).accepted.sum() == 7

    def test_of_equal_entropies_the_left_ones_are_kept(self):
        assert np.flatnonzero(decide([5] * 16, [1.0] * 16, steps_left=2).accepted).tolist() == list(range(9))

    @given(canvases, steps.flatmap(lambda most: st.tuples(st.integers(1, most), st.just(most))))
    def test_each_step_keeps_something_and_nothing_worse_than_what_it_leaves(self, canvas, left_of_steps):
        argmax, entropy = canvas
        left, most = left_of_steps
        accepted = decide(argmax, entropy, steps_left=left, steps=most).accepted
        line = slice(line_length(argmax, SETTINGS.eos_token_ids))
        assert accepted[line].any() and accepted[line.stop :].all()
        assert entropy[line][accepted[line]].max() <= entropy[line][~accepted[line]].min(initial=np.inf)
        assert left > 1 or accepted.all()

    @given(canvases, st.integers(2, 64))
    def test_what_one_step_keeps_the_next_would_keep_too(self, canvas, most):
        masks = [decide(*canvas, steps_left=left, steps=most).accepted for left in range(most, 0, -1)]
        assert all((earlier <= later).all() for earlier, later in itertools.pairwise(masks))


@pytest.mark.parametrize(("longest", "length"), [(32, 16), (33, 17), (1, 1)])
def test_a_canvas_is_half_as_long_as_the_models_own(longest, length):
    assert SAMPLER.canvas_length(longest) == length


class TestStop:
    SURE = (0.0, 0.0, 0.0, 9.0)

    def test_a_line_that_came_twice_and_is_certain_is_the_result_whatever_stands_behind_it(self):
        assert decide([5, 6, END, 8], self.SURE, earlier=[np.array([5, 6, END, 9])]).stopped

    @pytest.mark.parametrize(
        ("earlier", "entropy"),
        [
            ([], SURE),
            ([[5, 7, END, 8]], SURE),
            ([[5, 6, END, 8], [5, 7, END, 8]], SURE),
            ([[5, 6, END, 8]], (0.9,) * 4),
        ],
        ids=["first", "changed", "changed since", "uncertain"],
    )
    def test_otherwise_it_goes_on(self, earlier, entropy):
        assert not decide([5, 6, END, 8], entropy, earlier=[np.array(draft) for draft in earlier]).stopped


class TestTemperature:
    @pytest.mark.parametrize(("most", "first"), [(1, 0.1), (2, 0.4), (4, 0.4), (10, 0.6), (16, 0.8), (48, 0.8)])
    def test_it_begins_hotter_the_more_steps_there_are_and_ends_cool(self, most, first):
        settings = replace(SETTINGS, steps=most)
        assert SAMPLER.temperature(most, settings) == pytest.approx(first)
        assert SAMPLER.temperature(1, settings) == pytest.approx(0.1)

    @given(steps)
    def test_it_never_rises_and_stays_between_nothing_and_the_models_own(self, most):
        settings = replace(SETTINGS, steps=most)
        temperatures = [SAMPLER.temperature(left, settings) for left in range(most, 0, -1)]
        assert temperatures == sorted(temperatures, reverse=True)
        assert 0.0 < temperatures[-1] <= temperatures[0] <= np.float32(SETTINGS.t_max)


@pytest.mark.parametrize("name", SAMPLERS)
@given(st.integers(0, 2**63 - 1), st.integers(1, 12), st.integers(1, 24))
def test_every_canvas_ends_within_its_steps_and_the_same_seed_gives_it_again(name, seed, most, length):
    def run():
        canvas = Canvas(replace(SETTINGS, sampler=SAMPLERS[name], steps=most), CanvasDraws(seed), Clamp.none(length))
        # Answers that depend on what the step reads, as a model's do.
        while not canvas.finished:
            inputs = canvas.inputs()
            canvas.advance(
                StepOutput(
                    sampled=(inputs.canvas * 7 + (inputs.uniform * 5).astype(np.int64)) % VOCAB_SIZE,
                    argmax=inputs.canvas * 7 % VOCAB_SIZE,
                    entropy=inputs.uniform * inputs.temperature[:, None] ** 4,
                    soft_embeddings=inputs.uniform[..., None],
                )
            )
        return canvas

    first, again = run(), run()
    assert 1 <= first.steps_done == again.steps_done <= most
    assert first.argmax.tolist() == again.argmax.tolist()
