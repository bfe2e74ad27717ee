"""Does compute stay inside the frame budget: a game at 60 Hz with a few characters that never stop talking."""

import itertools
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.outcome import Finished
from runtime.request import AskRequest
from tools.bench.progress import tell
from tools.bench.units import TimedEngine
from tools.eval.heldout import held_out_questions

FPS = 60
NPCS = (1, 4, 16)
BUDGETS_MS = (2.0, 4.0)


def measure_frames(
    model: Path, seconds: float, npcs: Sequence[int] = NPCS, budgets_ms: Sequence[float] = BUDGETS_MS
) -> list[dict[str, Any]]:
    """One report for each number of characters and each budget, `seconds` of play each."""
    reports = []
    for number, budget_ms in itertools.product(npcs, budgets_ms):
        reports.append(_play(model, number, budget_ms, seconds))
        tell(str(reports[-1]))
    return reports


def _play(model: Path, npcs: int, budget_ms: float, seconds: float) -> dict[str, Any]:
    engine = Engine(load_bundle(model))
    engine.calibrate()
    timed = TimedEngine(engine)
    waiting = deque(_requests(npcs))
    frames_s = [0.0] * int(seconds * FPS)
    began_s, ticked = time.perf_counter(), 0
    while ticked < len(frames_s):
        due = min(len(frames_s), int((time.perf_counter() - began_s) * FPS) + 1)
        for frame in range(ticked, due):
            engine.tick(frame, budget_ms)
        ticked = max(ticked, due)
        while len(waiting) > 0 and engine.open_jobs < npcs:
            engine.submit(waiting[0])
            waiting.rotate(-1)
        if engine.wait_s() == 0.0:
            frames_s[ticked - 1] += timed.run_what_may_run()
        else:
            time.sleep(max(0.0, began_s + ticked / FPS - time.perf_counter()))
    lines = [outcome.line for outcome in timed.outcomes if isinstance(outcome, Finished)]
    over_ms = [frame_s * 1000.0 - budget_ms for frame_s in frames_s]
    # The most by which any run of frames exceeded what it was given, which the carry bound limits.
    worst_ms = max(itertools.accumulate(over_ms, lambda run, over: max(0.0, run) + over))
    longest_ms = timed.longest_unit_s * 1000.0
    return {
        "npcs": npcs,
        "budget_ms": budget_ms,
        "frames": len(frames_s),
        "frames_over_budget": round(sum(over > 0.0 for over in over_ms) / len(over_ms), 4),
        "largest_overrun_ms": round(max(over_ms), 3),
        "longest_unit_ms": round(longest_ms, 3),
        "worst_run_of_frames_ms": round(worst_ms, 3),
        "kept": max(over_ms) <= longest_ms and worst_ms <= budget_ms + 2.0 * longest_ms,
        "compute_share": round(sum(frames_s) * FPS / len(frames_s), 4),
        "given_share": round(budget_ms * FPS / 1000.0, 4),
        "lines": len(lines),
        "mean_line_ms": round(sum(line.timings.total_ms for line in lines) / max(1, len(lines)), 1),
    }


def _requests(npcs: int) -> list[AskRequest]:
    """A question for each character in turn, over and over."""
    questions = held_out_questions(4 * npcs)
    return [
        AskRequest(replace(question.npc, id=f"npc {number % npcs}"), question.exchange.player, number, 8)
        for number, question in enumerate(questions)
    ]
