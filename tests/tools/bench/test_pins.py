"""The comparison of pins and prompts, on three questions."""

import json

import pytest

from runtime.pocket import POCKET_MODEL
from tools.bench.pins import measure_pins


@pytest.fixture(scope="module")
def report():
    return measure_pins(POCKET_MODEL, 3, seed=5)


def test_what_is_pinned_is_always_held(report):
    ways = {row["way"]: row for row in report["ways"]}
    assert set(ways) == {"plain", "prompt_template", "template", "prompt_phrase", "phrase"}
    assert ways["template"]["held"]["share"] == ways["phrase"]["held"]["share"] == 1.0


def test_it_can_be_printed_as_json(report):
    assert json.loads(json.dumps(report, allow_nan=False)) == report
