"""Are deadlines kept, and what are the lines worth: held-out questions at deadlines from 50 ms to a second."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.line import Line
from runtime.outcome import line_of
from runtime.request import AskRequest
from tools.bench.progress import tell
from tools.bench.units import TimedEngine
from tools.eval.grading import grade
from tools.eval.heldout import Question, held_out_questions
from tools.eval.report import Share

DEADLINES_MS = (50, 100, 250, 500, 1000)


def measure_deadlines(model: Path, asks: int) -> dict[str, Any]:
    """Ask so many questions, the deadlines in turn, one after another."""
    engine = Engine(load_bundle(model))
    engine.calibrate()
    timed = TimedEngine(engine)
    answers: dict[int, list[tuple[Question, Line, float]]] = {deadline_ms: [] for deadline_ms in DEADLINES_MS}
    for number, question in enumerate(held_out_questions(asks)):
        deadline_ms = DEADLINES_MS[number % len(DEADLINES_MS)]
        line, took_s = _ask(timed, question, number, deadline_ms)
        answers[deadline_ms].append((question, line, took_s * 1000.0 - deadline_ms))
        if (number + 1) % 50 == 0:
            tell(f"{number + 1} of {asks} asked")
    longest_ms = timed.longest_unit_s * 1000.0
    late = [late_ms for of_deadline in answers.values() for _, _, late_ms in of_deadline]
    return {
        "asks": asks,
        "longest_unit_ms": round(longest_ms, 3),
        "late": sum(late_ms > 0.0 for late_ms in late),
        "late_by_more_than_a_unit": sum(late_ms > longest_ms for late_ms in late),
        "largest_lateness_ms": round(max(late), 3),
        "by_deadline": [_summary(deadline_ms, of_deadline) for deadline_ms, of_deadline in answers.items()],
    }


def _ask(timed: TimedEngine, question: Question, seed: int, deadline_ms: int) -> tuple[Line, float]:
    exchange = question.exchange
    request = AskRequest(question.npc, exchange.player, seed, history=exchange.history, deadline_ms=deadline_ms)
    began_s = time.perf_counter()
    timed.engine.submit(request)
    while not timed.outcomes:
        timed.run_what_may_run()
    took_s = time.perf_counter() - began_s
    return line_of(timed.outcomes.pop()), took_s


def _summary(deadline_ms: int, answers: list[tuple[Question, Line, float]]) -> dict[str, Any]:
    sources = Counter(line.source for _, line, _ in answers)
    grades = [(line, grade(question, line.text)) for question, line, _ in answers]
    asked = [(line, verdict) for line, verdict in grades if verdict.asked]
    spoken = [verdict for line, verdict in asked if line.source != "fallback"]
    count = max(1, len(answers))
    return {
        "deadline_ms": deadline_ms,
        "asks": len(answers),
        **{source: round(sources[source] / count, 4) for source in ("model", "draft", "fallback")},
        "grounded": Share(sum(verdict.grounded for _, verdict in asked), len(asked)).to_mapping(),
        "grounded_without_fallbacks": Share(sum(verdict.grounded for verdict in spoken), len(spoken)).to_mapping(),
        "mean_steps_planned": round(sum(line.steps_planned for _, line, _ in answers) / count, 2),
        "mean_steps_done": round(sum(line.steps_done for _, line, _ in answers) / count, 2),
        "largest_lateness_ms": round(max(late_ms for _, _, late_ms in answers), 3) if answers else 0.0,
    }
