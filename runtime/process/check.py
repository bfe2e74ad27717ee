"""`--check`: does Palaver work on this machine? What a studio asks a player to run."""

import json
import time
from pathlib import Path
from typing import Any

from runtime.errors import PalaverError
from runtime.npc import Npc
from runtime.process.facts import facts
from runtime.process.loading import load_engine
from runtime.process.memory import resident_mb

SEED = 1
STEPS = 8
QUESTION = "What do you sell?"
WHO = Npc("check", "Borin", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))


def run_check(folder: Path, threads: int, *, as_json: bool) -> int:
    """Load the model, make one line, print a report; 0 if all went well, else 1."""
    report = check(folder, threads)
    if as_json:
        # Plain ASCII, which every console and every pipe can take.
        print(json.dumps(report))
    else:
        for key, value in report.items():
            print(f"{key}: {value}".encode("ascii", "backslashreplace").decode("ascii"))
    return 0 if report["ok"] else 1


def check(folder: Path, threads: int) -> dict[str, Any]:
    """The report: `ok`, versions and machine, and either times in seconds and a line, or what went wrong."""
    report: dict[str, Any] = {"ok": False, **facts(), "model_dir": str(folder), "threads": threads}
    try:
        report |= _load_and_ask(folder, threads)
    except PalaverError as error:
        return report | {"code": error.code, "message": error.message, "hint": error.hint}
    # Whatever else goes wrong on a player's machine is what this is for.
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        return report | {"code": "internal", "message": problem, "hint": "Please report this"}
    return report | {"ok": True}


def _load_and_ask(folder: Path, threads: int) -> dict[str, Any]:
    from runtime.palaver import Palaver

    began_s = time.perf_counter()
    engine = load_engine(folder, lambda _: None, threads=threads)
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
