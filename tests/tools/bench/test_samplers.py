"""The comparison of samplers, on two questions."""

import json

import pytest

from runtime.pocket import POCKET_MODEL
from runtime.samplers import SAMPLERS
from tools.bench.samplers import STEPS, measure_samplers

QUESTIONS_SEED = 5


@pytest.fixture(scope="module")
def report():
    return measure_samplers(POCKET_MODEL, 2, QUESTIONS_SEED)


@pytest.mark.parametrize("part", ["lines", "drafts"])
def test_each_sampler_has_its_row_at_each_number_of_steps(report, part):
    assert [(row["sampler"], row["steps"]) for row in report[part]] == [
        (name, steps) for name in SAMPLERS for steps in STEPS
    ]


def test_passes_and_positions_are_counted(report):
    canvas = {"reference": 32, "fast": 16}
    for row in report["lines"]:
        assert row["mean_passes"] >= 1
        assert row["mean_positions"] == pytest.approx(row["mean_passes"] * canvas[row["sampler"]], rel=0.5)


def test_it_can_be_printed_as_json(report):
    assert json.loads(json.dumps(report, allow_nan=False)) == report
