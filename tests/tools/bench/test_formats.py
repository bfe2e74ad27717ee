"""The table of formats: errors and sizes that follow from how a weight is stored."""

import pytest

from tools.bench.formats import FormatCost, measure_formats


@pytest.fixture(scope="module")
def costs():
    return {cost["format"]: FormatCost(**cost) for cost in measure_formats()["formats"]}


def test_sizes_are_what_the_layouts_say(costs):
    assert costs["int4, blocks of 32, symmetric, extreme"].bits == pytest.approx(4 + 32 / 32)
    assert costs["int4, blocks of 64, symmetric, extreme"].bits == pytest.approx(4 + 32 / 64)
    assert costs["int4, blocks of 32, asymmetric, extreme"].bits == pytest.approx(4 + (32 + 4) / 32)
    assert costs["int8, blocks of 32, symmetric, extreme"].bits == pytest.approx(8 + 32 / 32)
    assert costs["nvfp4, blocks of 16"].bits == pytest.approx(4 + 8 / 16, abs=1e-3)


@pytest.mark.parametrize("method", ["extreme", "least-squares"])
def test_finer_is_more_precise(costs, method):
    eight, fine, coarse = (
        costs[f"{name}, symmetric, {method}"].error
        for name in ("int8, blocks of 32", "int4, blocks of 32", "int4, blocks of 64")
    )
    assert 0 < eight < fine < coarse < 20


@pytest.mark.parametrize("block_size", [32, 64])
@pytest.mark.parametrize("method", ["extreme", "least-squares"])
def test_zero_points_are_more_precise(costs, block_size, method):
    without, with_zero_points = (
        costs[f"int4, blocks of {block_size}, {grid}, {method}"].error for grid in ("symmetric", "asymmetric")
    )
    assert with_zero_points < without


@pytest.mark.parametrize("block_size", [32, 64])
@pytest.mark.parametrize("grid", ["symmetric", "asymmetric"])
def test_the_search_for_a_scale_pays(costs, block_size, grid):
    found, extreme = (
        costs[f"int4, blocks of {block_size}, {grid}, {method}"].error for method in ("least-squares", "extreme")
    )
    assert found < 0.97 * extreme
