"""What letting asks share passes is worth: lines a second with 1 to 8 characters that never stop talking."""

import itertools
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.outcome import line_of
from runtime.request import AskRequest
from tools.bench.counting import CountingSession
from tools.bench.progress import tell
from tools.eval.heldout import held_out_questions

JOBS = (1, 2, 4, 8)
BATCHES = (1, 2, 4, 8)
THREADS = (1, 2)
STEPS = 8


def measure_batching(model: Path, lines: int) -> list[dict[str, Any]]:
    """One report for each number of threads, of asks that are open at once, and of asks that may share a pass."""
    reports = []
    bundle = load_bundle(model)
    for threads, max_batch in itertools.product(THREADS, BATCHES):
        session = CountingSession(bundle, threads)
        engine = Engine(bundle, threads=threads, max_batch=max_batch, session=session)
        engine.calibrate()
        for jobs in (jobs for jobs in JOBS if jobs >= max_batch):
            session.passes = session.rows = 0
            talked = talk(engine, jobs, lines, STEPS)
            rows_a_pass = round(session.rows / session.passes, 2)
            setting = {"threads": threads, "jobs": jobs, "max_batch": max_batch}
            reports.append({**setting, **talked, "rows_a_pass": rows_a_pass})
            tell(str(reports[-1]))
    return reports


def talk(engine: Engine, jobs: int, lines: int, steps: int) -> dict[str, float]:
    """Ask so many lines, `jobs` of them open at a time until the last have been asked."""
    waiting = [
        AskRequest(replace(question.npc, id=f"npc {number}"), question.exchange.player, number, steps)
        for number, question in enumerate(held_out_questions(lines))
    ]
    took_ms: list[float] = []
    cpu_began_s, began_s = time.process_time(), time.perf_counter()
    while waiting or not engine.idle:
        while waiting and engine.open_jobs < jobs:
            engine.submit(waiting.pop())
        for outcome in engine.step():
            took_ms.append(line_of(outcome).timings.total_ms)
    seconds, cpu_s = time.perf_counter() - began_s, time.process_time() - cpu_began_s
    return {
        "lines_per_s": round(lines / seconds, 2),
        # What counts where other processes want the same cores.
        "lines_per_cpu_s": round(lines / cpu_s, 2),
        "mean_line_ms": round(fmean(took_ms), 1),
    }
