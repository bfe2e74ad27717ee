"""The table of formats: errors and sizes that follow from how a weight is stored."""

import pytest

from tools.bench.formats import FormatCost, measure_formats


@pytest.fixture(scope="module")
def costs():
    return {cost["format"]: FormatCost(**cost) for cost in measure_formats()["formats"]}


def test_sizes_are_what_the_layouts_say(costs):
    assert costs["int4, blocks of 32, extreme"].bits == pytest.approx(4 + 32 / 32)
    assert costs["int4, blocks of 64, extreme"].bits == pytest.approx(4 + 32 / 64)
    assert costs["int8, blocks of 32, extreme"].bits == pytest.approx(8 + 32 / 32)
    assert costs["nvfp4, blocks of 16"].bits == pytest.approx(4 + 8 / 16, abs=1e-3)


def test_finer_is_more_precise(costs):
    for method in ("extreme", "least-squares"):
        eight, fine, coarse = (
            costs[f"{name}, {method}"].error
            for name in ("int8, blocks of 32", "int4, blocks of 32", "int4, blocks of 64")
        )
        assert 0 < eight < fine < coarse < 20


def test_the_search_for_a_scale_pays(costs):
    for block in (32, 64):
        found = costs[f"int4, blocks of {block}, least-squares"]
        assert found.error < 0.97 * costs[f"int4, blocks of {block}, extreme"].error
