"""What the way to the sidecar and back costs: `ping`, and what an `ask` takes beyond its compute."""

import time
from pathlib import Path
from statistics import quantiles
from typing import Any

from runtime.client import PalaverClient, start_sidecar
from runtime.line import Timings
from tools.eval.heldout import Question, held_out_questions

STEPS = 8
_WARM_UP = 10


def measure_wire(model: Path, rounds: int) -> dict[str, Any]:
    """So many round trips of `ping`, idle and while a line is made, and a tenth as many asks, one after another."""
    questions = held_out_questions(max(1, rounds // 10))
    with start_sidecar(model) as sidecar, PalaverClient(sidecar, ask_timeout_s=600.0) as client:
        for question in questions[:_WARM_UP]:
            _ask(client, question)
        idle = [client.ping() * 1000.0 for _ in range(rounds)]
        asks = [_ask(client, question) for question in questions]
        busy = _pings_while_busy(client, questions[0], rounds)
        step_ms = client.stats().step_ms
    return {
        "rounds": rounds,
        "ping_idle_ms": _summary(idle),
        "ping_while_a_line_is_made_ms": _summary(busy),
        "ask_beyond_compute_ms": _summary([took_ms - timings.compute_ms for took_ms, timings in asks]),
        "ask_beyond_the_engine_ms": _summary([took_ms - timings.total_ms for took_ms, timings in asks]),
        "expected_step_ms": step_ms,
    }


def _ask(client: PalaverClient, question: Question) -> tuple[float, Timings]:
    """Milliseconds that a line took here, and what the sidecar says of them."""
    began_s = time.perf_counter()
    line = client.ask(question.npc, question.exchange.player, seed=1, steps=STEPS)
    return (time.perf_counter() - began_s) * 1000.0, line.timings


def _pings_while_busy(client: PalaverClient, question: Question, rounds: int) -> list[float]:
    """Round trips in which a line was open from beginning to end."""
    took_ms: list[float] = []
    while len(took_ms) < rounds:
        request = client.submit(question.npc, question.exchange.player, steps=1000, max_tokens=400)
        while len(took_ms) < rounds:
            ping_ms = client.ping() * 1000.0
            if client.poll():
                break
            took_ms.append(ping_ms)
        client.cancel(request)
    return took_ms


def _summary(values_ms: list[float]) -> dict[str, float]:
    percentiles = quantiles(values_ms, n=100, method="inclusive")
    return {"p50": round(percentiles[49], 3), "p99": round(percentiles[98], 3), "max": round(max(values_ms), 3)}
