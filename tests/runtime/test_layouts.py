"""Which layout is tried when, and which is written to its end; the model's answers are made up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.denoise import Canvas, DenoiseSettings, StepOutput
from runtime.layouts import PROBES, LayoutSearch, lengths_to_try, most_passes, steps_in
from runtime.pins import Form, GapRun, PinRun, lay_out
from runtime.rng import CanvasDraws
from runtime.samplers.fast import FastSampler

LENGTH, END = 16, 9
FORM = Form(None, (PinRun(0, (11, 12)), GapRun(1, 1, 8), PinRun(2, (13,))), open_end=False)
NOTHING = Form(None, (), open_end=False)


def settings(steps):
    return DenoiseSettings(50, 2, frozenset({END}), FastSampler(), steps, 0.1, 0.4, 0.8, 1, 0.005)


def search(steps, choices=((tuple(range(1, 9)),),)):
    def begin(_, lengths):
        layout = lay_out(FORM, NOTHING, lengths, LENGTH, END)
        return layout, Canvas(settings(steps), CanvasDraws(5), layout.clamp)

    return LayoutSearch(choices, begin, lambda *_: 0, steps)


def answer(layout, doubt):
    """The model agrees with all pins, and is as unsure as `doubt` in the gap."""
    entropy = np.zeros((1, LENGTH), dtype=np.float32)
    start, end = layout.gaps[0]
    entropy[0, start:end] = doubt
    ids = np.where(layout.clamp.pinned, layout.clamp.ids, 20)[None]
    return StepOutput(ids, ids, entropy, np.zeros((1, LENGTH, 2), dtype=np.float32))


def run(searching, doubt_of):
    """Lengths of the gap, in the order in which their canvases had a step."""
    seen = []
    while not searching.finished:
        clamp = searching.inputs().canvas[0]
        length = int(np.flatnonzero(clamp == 13)[0]) - 2
        seen.append(length)
        layout = lay_out(FORM, NOTHING, (length,), LENGTH, END)
        searching.advance(answer(layout, doubt_of(length)))
    return seen


def test_the_length_that_the_model_is_sure_of_is_written():
    searching = search(8)
    seen = run(searching, lambda length: 0.1 + abs(length - 5))
    assert searching.best.layout.lengths == (5,)
    assert sorted(seen[:8]) == list(range(1, 9))
    assert set(seen[8:]) == {4, 5, 6}


def test_a_length_beside_the_best_ones_is_tried_too():
    searching = search(16, (((1, 3, 8),),))
    run(searching, lambda length: 0.1 + abs(length - 4))
    assert searching.best.layout.lengths == (4,)


def test_a_certain_layout_is_taken_at_once():
    seen = run(search(8), lambda length: 0.0 if length == 3 else 2.0)
    assert seen[8:] == [3]


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 16])
def test_passes_are_foreseen(steps):
    searching = search(steps)
    most = searching.passes_left
    assert most <= most_passes(steps)
    passes = len(run(searching, lambda length: 0.5 + length))
    assert passes <= most


@given(st.integers(1, 12), st.integers(1, 40), st.sampled_from([(2,), (1, 3, 8), tuple(range(1, 9))]))
def test_passes_are_bounded_however_many_forms_there_are(steps, forms, lengths):
    searching = search(steps, ((lengths,),) * forms)
    assert searching.passes_left <= most_passes(steps)
    assert len(run(searching, lambda length: 0.5 + length)) <= most_passes(steps)


def test_forms_are_left_out_evenly():
    begun = []

    def begin(form, lengths):
        begun.append(form)
        layout = lay_out(FORM, NOTHING, lengths, LENGTH, END)
        return layout, Canvas(settings(4), CanvasDraws(5), layout.clamp)

    LayoutSearch((((2,),),) * 16, begin, lambda *_: 0, 4)
    assert begun == [0, 3, 6, 9, 12]


def test_a_single_layout_has_nothing_to_search():
    searching = search(4, (((2,),),))
    assert searching.passes_left == 4
    assert set(run(searching, lambda _: 1.0)) == {2}


def test_as_many_steps_as_fit_are_planned():
    assert [most_passes(steps_in(passes)) <= passes for passes in range(3, 60)] == [True] * 57
    assert steps_in(1) == 1
    assert steps_in(most_passes(16)) == 16


@pytest.mark.parametrize(("fewest", "most"), [(0, 0), (1, 1), (1, 8), (0, 16), (1, 16), (2, 64), (5, 13)])
def test_lengths_to_try_reach_from_end_to_end(fewest, most):
    lengths = lengths_to_try(fewest, most)
    assert (lengths[0], lengths[-1]) == (fewest, most)
    assert list(lengths) == sorted(set(lengths))
    assert len(lengths) == min(PROBES, most - fewest + 1)
