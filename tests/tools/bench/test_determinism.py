"""The determinism report on the pocket model, with a dozen asks."""

import pytest

from runtime.pocket import POCKET_MODEL
from tools.bench.determinism import WAYS, measure_determinism


@pytest.fixture(scope="module")
def report():
    return measure_determinism(POCKET_MODEL, None, asks=12, steps=4)


def test_no_promise_is_broken(report):
    assert report["broken_promises"] == 0
    assert report["fallbacks"] == 0
    assert [way["way"] for way in report["ways"]] == [way.name for way in WAYS if not way.sliced]


def test_whatever_differs_was_not_promised(report):
    for way in report["ways"]:
        exact = way["rows_are_exact"] or way["rows_a_pass"] == 1.0
        assert exact or way["deterministic"] == 0
        assert way["differing_texts"] == 0 or not exact or way["threads_agree"] is False


def test_company_is_kept(report):
    """The lines that are compared were made together indeed, where they may be.

    Behind the persona, prompts differ in length, and so their last passes and many of their steps cannot be shared.
    """
    ways = {way["way"]: way for way in report["ways"]}
    assert ways["in company of 8, not deterministic"]["rows_a_pass"] > 1.2
    for way in ways.values():
        if "in company" in way["way"] and way["rows_are_exact"]:
            assert way["rows_a_pass"] > 1.1
