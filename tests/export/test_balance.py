"""Where the step is cut."""

from itertools import combinations, pairwise

import hypothesis
import pytest
from hypothesis import strategies

from export.balance import balanced_borders, measured_costs
from runtime.bundle import load_bundle
from runtime.step_graph import StepGraph


def dearest(costs, borders):
    ends = [0, *borders, len(costs)]
    return max(sum(costs[start:end]) for start, end in pairwise(ends))


@pytest.mark.parametrize(
    ("costs", "slices", "borders"),
    [
        ([2.0, 1.0, 1.0, 2.0], 1, ()),
        ([2.0, 1.0, 1.0, 2.0], 3, (1, 3)),
        ([2.0, 1.0, 1.0, 2.0], 4, (1, 2, 3)),
        ([1.0, 1.0, 1.0, 9.0], 2, (3,)),
        ([9.0, 1.0, 1.0, 1.0], 2, (1,)),
    ],
)
def test_the_head_and_a_dear_first_layer_get_slices_of_their_own(costs, slices, borders):
    assert balanced_borders(costs, slices) == borders


@hypothesis.settings(deadline=None, max_examples=50)
@hypothesis.given(
    strategies.lists(strategies.integers(1, 50), min_size=1, max_size=8).flatmap(
        lambda costs: strategies.tuples(strategies.just(costs), strategies.integers(1, len(costs)))
    )
)
def test_no_other_borders_have_a_cheaper_dearest_slice(case):
    costs, slices = case
    borders = balanced_borders(costs, slices)
    assert len(borders) == slices - 1
    every = combinations(range(1, len(costs)), slices - 1)
    assert dearest(costs, borders) == min(dearest(costs, other) for other in every)


def test_the_cost_of_a_slice_is_measured(tiny_slices):
    bundle = load_bundle(tiny_slices[3])
    costs = measured_costs(StepGraph(bundle.path, bundle.graphs), bundle.manifest.geometry)
    assert len(costs) == 3
    assert min(costs) > 0.0
