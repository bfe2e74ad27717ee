"""The same lines, however they are made: alone, in company, in slices, at any frame rate, after a restart."""

import multiprocessing
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.exactness import Exactness
from runtime.line import Line
from runtime.outcome import line_of
from runtime.request import AskRequest
from tools.bench.counting import CountingSession
from tools.bench.progress import tell
from tools.bench.skipping import SkippingClock
from tools.eval.heldout import held_out_questions


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make lines.

    Attributes:
        name: in the report.
        open_asks: asks that are open at once.
        max_batch: asks that may share a pass.
        threads: of the step graph.
        fps: ticks a second; 0 for no ticks.
        budget_ms: of each tick.
        shuffled: asked in another order.
        sliced: by the bundle in slices.
        restarted: by another process.
        deterministic: what the asks ask for.
    """

    name: str
    open_asks: int = 1
    max_batch: int = 1
    threads: int = 1
    fps: int = 0
    budget_ms: float = 4.0
    shuffled: bool = False
    sliced: bool = False
    restarted: bool = False
    deterministic: bool = True


ALONE = Way("alone")
WAYS = (
    Way("again", restarted=True),
    Way("in company of 2", open_asks=2, max_batch=2),
    Way("in company of 4", open_asks=4, max_batch=4),
    Way("in company of 8", open_asks=8, max_batch=8),
    Way("in company of 8, not deterministic", open_asks=8, max_batch=8, deterministic=False),
    Way("shuffled, in company of 4", open_asks=4, max_batch=4, shuffled=True),
    Way("30 Hz", open_asks=4, max_batch=4, fps=30),
    Way("60 Hz", open_asks=4, max_batch=4, fps=60),
    Way("144 Hz", open_asks=4, max_batch=4, fps=144),
    Way("sliced", sliced=True),
    # Wide enough for a slice that several share.
    Way("sliced, 60 Hz, in company of 4", open_asks=4, max_batch=4, fps=60, budget_ms=15.0, sliced=True),
    Way("2 threads", threads=2),
    Way("2 threads, in company of 4", threads=2, open_asks=4, max_batch=4),
)


@dataclass(frozen=True, slots=True)
class Made:
    """Lines by seed, what the engine has found out about itself, and how many lines shared a pass on average."""

    lines: dict[int, Line]
    exactness: Exactness
    rows_a_pass: float


def measure_determinism(model: Path, sliced: Path | None, asks: int, steps: int) -> dict[str, Any]:
    """Ask the same questions in every way, and count the texts that differ from those made alone."""
    first = _made(ALONE, model, asks, steps)
    ways = []
    for way in WAYS:
        folder = sliced if way.sliced else model
        if folder is None:
            continue
        made = _made_elsewhere(way, folder, asks, steps) if way.restarted else _made(way, folder, asks, steps)
        ways.append(_compared(way, first, made))
        tell(str(ways[-1]))
    return {
        "asks": asks,
        "steps": steps,
        "fallbacks": sum(line.source == "fallback" for line in first.lines.values()),
        "sliced": sliced is not None,
        "broken_promises": sum(report["broken_promises"] for report in ways),
        "ways": ways,
    }


def _compared(way: Way, first: Made, made: Made) -> dict[str, Any]:
    differing = [seed for seed, line in made.lines.items() if line.text != first.lines[seed].text]
    # Whoever asks with another number of threads was told by the engine if it finds that this matters.
    forewarned = made.exactness.threads is False
    return {
        "way": way.name,
        "differing_texts": len(differing),
        "differing_confidences": sum(
            line.confidence != first.lines[seed].confidence for seed, line in made.lines.items()
        ),
        "rows_a_pass": round(made.rows_a_pass, 2),
        "deterministic": sum(line.deterministic for line in made.lines.values()),
        "broken_promises": 0 if forewarned else sum(made.lines[seed].deterministic for seed in differing),
        "rows_are_exact": made.exactness.rows,
        "threads_agree": made.exactness.threads,
    }


def _made_elsewhere(way: Way, model: Path, asks: int, steps: int) -> Made:
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_made, (way, model, asks, steps))


def _made(way: Way, model: Path, asks: int, steps: int) -> Made:
    clock = SkippingClock()
    bundle = load_bundle(model)
    session = CountingSession(bundle, way.threads)
    engine = Engine(bundle, threads=way.threads, max_batch=way.max_batch, clock=clock, session=session)
    engine.calibrate()
    session.passes = session.rows = 0
    requests = _requests(asks, steps, way.deterministic)
    if way.shuffled:
        random.Random(5).shuffle(requests)
    lines = _play(engine, clock, requests, way)
    return Made(lines, engine.exactness, session.rows / session.passes)


def _play(
    engine: Engine, clock: SkippingClock, requests: Sequence[tuple[int, AskRequest]], way: Way
) -> dict[int, Line]:
    """Keep `open_asks` of the requests open until all have ended; the game ticks when it is time to."""
    waiting = list(requests)
    seeds: dict[int, int] = {}
    lines: dict[int, Line] = {}
    began_s, frame = clock(), 0
    while waiting or not engine.idle:
        while waiting and engine.open_jobs < way.open_asks:
            seed, request = waiting.pop(0)
            seeds[engine.submit(request)] = seed
        if way.fps and clock() >= began_s + frame / way.fps:
            engine.tick(frame, way.budget_ms)
            frame += 1
        if engine.wait_s() > 0.0:
            clock.skip_to(began_s + frame / way.fps if way.fps else clock() + engine.wait_s())
        for outcome in engine.step():
            lines[seeds[outcome.job_id]] = line_of(outcome)
    return lines


def _requests(asks: int, steps: int, deterministic: bool) -> list[tuple[int, AskRequest]]:
    """Seeds, and what is asked with them."""
    return [
        (
            number,
            AskRequest(
                # Characters of their own: one that speaks already would have to wait.
                replace(question.npc, id=f"npc {number}"),
                question.exchange.player,
                number,
                steps,
                history=question.exchange.history,
                deterministic=deterministic,
            ),
        )
        for number, question in enumerate(held_out_questions(asks))
    ]
