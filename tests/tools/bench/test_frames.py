"""The frames report on the real pocket session, for a second of play."""

from runtime.pocket import POCKET_MODEL
from tools.bench.frames import measure_frames


def test_compute_takes_no_more_than_the_frames_gave_and_what_may_be_carried():
    (report,) = measure_frames(POCKET_MODEL, 1.0, npcs=(4,), budgets_ms=(4.0,))
    assert report["frames"] == 60
    # Measured in the same run, so that a slow or busy machine changes both sides alike.
    carried_ms = report["budget_ms"] + 2.0 * report["longest_unit_ms"]
    assert report["compute_share"] * 1000.0 <= report["given_share"] * 1000.0 + carried_ms
    assert report["compute_share"] > 0.0
