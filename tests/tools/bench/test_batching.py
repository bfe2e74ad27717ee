"""The batching report, with a few lines and a single setting."""

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.pocket import POCKET_MODEL
from tools.bench.batching import talk


def test_all_lines_are_made_whatever_is_open_at_once():
    engine = Engine(load_bundle(POCKET_MODEL), max_batch=2)
    report = talk(engine, jobs=2, lines=3, steps=2)
    assert engine.idle
    assert report["lines_per_s"] > 0.0
    assert report["mean_line_ms"] > 0.0
