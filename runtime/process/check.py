"""`--check`: does Palaver work on this machine? What a studio asks a player to run."""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.checks import check_text
from runtime.errors import PalaverError, RequestError
from runtime.filters import StudioFilters
from runtime.memory import MAX_SUMMARY_CHARS, Summariser
from runtime.npc import Npc
from runtime.process.facts import facts
from runtime.process.loading import load_engine
from runtime.process.memory import resident_mb

if TYPE_CHECKING:
    from runtime.engine import Engine

SEED = 1
STEPS = 8
QUESTION = "What do you sell?"
WHO = Npc("check", "Borin", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))

Plugins = tuple[StudioFilters, Summariser | None]
"""The functions of a studio's own."""


def run_check(
    folder: Path,
    *,
    threads: int,
    prompt_tokens: int | None,
    prefix_cache_mb: int,
    plugins: Callable[[], Plugins],
    as_json: bool,
) -> int:
    """Load the model and the studio's functions, make one line, print a report; 0 if all went well, else 1."""
    report: dict[str, Any] = {"ok": False, **facts(), "model_dir": str(folder), "threads": threads}
    try:
        filters, summariser = plugins()
        load = partial(load_engine, threads=threads, prompt_tokens=prompt_tokens, prefix_cache_mb=prefix_cache_mb)
        report |= _load_and_ask(lambda: load(folder, lambda _: None, filters=filters))
        if summariser is not None:
            report["summary"] = _summary(summariser, report["line"])
        report["ok"] = True
    except PalaverError as error:
        report |= {"code": error.code, "message": error.message, "hint": error.hint}
    # Whatever else goes wrong on a player's machine is what this is for.
    except Exception as error:
        report |= {"code": "internal", "message": f"{type(error).__name__}: {error}", "hint": "Please report this"}
    if as_json:
        # Plain ASCII, which every console and every pipe can take.
        print(json.dumps(report))
    else:
        for key, value in report.items():
            print(f"{key}: {value}".encode("ascii", "backslashreplace").decode("ascii"))
    return 0 if report["ok"] else 1


def _load_and_ask(load: Callable[[], "Engine"]) -> dict[str, Any]:
    from runtime.palaver import Palaver

    began_s = time.perf_counter()
    engine = load()
    loaded_s = time.perf_counter()
    manifest = engine.bundle.manifest
    line, again = (Palaver(engine).ask(WHO, QUESTION, seed=SEED, steps=STEPS) for _ in range(2))
    if again.text != line.text:
        raise PalaverError(
            "the same question with the same seed gave two different lines",
            "Another build of ONNX Runtime may help",
            code="not-deterministic",
        )
    return {
        "model": manifest.name,
        "licence": manifest.licence,
        "load_s": round(loaded_s - began_s, 3),
        "step_ms": round(engine.step_s() * 1000.0, 3),
        "line_ms": round(line.timings.total_ms, 3),
        "memory_mb": round(resident_mb(), 1),
        "line": line.text,
        "source": line.source,
    }


def _summary(summariser: Summariser, line: str) -> str:
    try:
        return check_text("summary", summariser("", ((QUESTION, line),)), max_chars=MAX_SUMMARY_CHARS)
    # It is the studio's own code.
    except Exception as error:
        raise RequestError(f"the summariser failed ({type(error).__name__}: {error})", "Correct it") from error
