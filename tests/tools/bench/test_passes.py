"""The bench of single passes: what it tells of, in the order in which a program does it."""

from runtime.pocket import POCKET_MODEL
from tools.bench.passes import measure_passes


def test_loading_encoding_and_steps_of_each_length():
    report = measure_passes(POCKET_MODEL, prompt_tokens=70, canvases=[8, 32], rounds=2, threads=1)
    assert [cost["what"] for cost in report["passes"]] == [
        "reading and checking the files",
        "loading the graph",
        "encoding 70 tokens",
        "a step of 8 positions",
        "a step of 32 positions",
    ]
    assert all(cost["first_ms"] > 0 and cost["resident_mb"] > 0 for cost in report["passes"])
    assert [cost["median_ms"] is None for cost in report["passes"]] == [True, True, False, False, False]
