"""The deadline report on the real pocket session, with a few asks."""

from runtime.pocket import POCKET_MODEL
from tools.bench.deadline import DEADLINES_MS, measure_deadlines


def test_every_deadline_has_its_lines_and_what_they_are_worth():
    report = measure_deadlines(POCKET_MODEL, 10)
    assert [row["deadline_ms"] for row in report["by_deadline"]] == list(DEADLINES_MS)
    for row in report["by_deadline"]:
        assert row["asks"] == 2
        assert row["model"] + row["draft"] + row["fallback"] == 1.0
        assert 0.0 <= row["grounded"]["share"] <= 1.0
        # A line that took twice its time on a busy machine was late by a unit that took that long.
        assert row["largest_lateness_ms"] <= report["largest_lateness_ms"]
    assert report["late_by_more_than_a_unit"] <= report["late"] <= 10
