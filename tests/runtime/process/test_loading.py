import threading

import pytest

from runtime import engine, planner, prefix_cache, step_graph
from runtime.errors import PalaverError
from runtime.process import loading
from runtime.process.loading import Loading


def loaded(load):
    """A loading that has ended."""
    ended = threading.Event()
    made = Loading(load, ended.set)
    made.start()
    assert ended.wait(30.0)
    return made


def test_the_limits_are_those_of_planner_and_step_graph():
    assert (loading.MAX_BATCH, loading.DEFAULT_BATCH) == (planner.MAX_BATCH, planner.DEFAULT_BATCH)
    assert loading.MAX_THREADS == step_graph.MAX_THREADS
    assert (loading.MAX_CACHE_MB, loading.DEFAULT_CACHE_MB) == (engine.MAX_CACHE_MB, prefix_cache.DEFAULT_CACHE_MB)


def test_there_is_no_engine_before_it_is_loaded_and_progress_never_goes_back():
    go_on, seen, engine = threading.Event(), [], object()

    def load(progress):
        for share in (0.5, 0.25, 2.0):
            progress(share)
            seen.append(made.progress)
        assert go_on.wait(30.0)
        return engine

    ended = threading.Event()
    made = Loading(load, ended.set)
    assert (made.progress, made.engine()) == (0.0, None)
    made.start()
    assert made.engine() is None
    go_on.set()
    assert ended.wait(30.0)
    assert made.engine() is engine
    assert seen == [0.5, 0.5, 1.0]


def test_what_the_loading_failed_with_is_raised_by_whoever_wants_the_engine():
    def load(progress):
        raise PalaverError("the bundle is damaged", code="bad-bundle")

    with pytest.raises(PalaverError, match="damaged"):
        loaded(load).engine()


def test_a_defect_is_an_error_too_and_in_the_log(caplog):
    def load(progress):
        raise ZeroDivisionError("a defect")

    with pytest.raises(PalaverError, match="ZeroDivisionError") as caught:
        loaded(load).engine()
    assert caught.value.code == "internal"
    assert "could not be loaded" in caplog.text


def test_a_bundle_is_loaded_in_steps(tiny_bundle):
    seen = []
    engine = loading.load_engine(tiny_bundle, seen.append)
    assert seen == sorted(seen)
    assert seen[0] > 0.0 and seen[-1] < 1.0
    assert len(seen) > 4
    assert engine.step_s() > 0.0
