from tools.bench.wire import measure_wire


def test_it_measures_round_trips_idle_and_busy_and_what_an_ask_adds(tiny_bundle):
    report = measure_wire(tiny_bundle, rounds=50)
    for name in ("ping_idle_ms", "ping_while_a_line_is_made_ms", "ask_beyond_compute_ms", "ask_beyond_the_engine_ms"):
        summary = report[name]
        assert 0.0 < summary["p50"] <= summary["p99"] <= summary["max"]
    assert report["expected_step_ms"] > 0.0
