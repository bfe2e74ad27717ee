"""The plugin's core, its engine layer and their tests, compiled; and how to run what came of it."""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.bindings.unreal.headers import write_engine_headers, write_generated_headers
from tools.engines.cpp import SANITIZERS, Cpp
from tools.environment import PROJECT_ROOT

HERE = Path(__file__).resolve().parent
PLUGIN = PROJECT_ROOT / "bindings" / "unreal" / "Palaver"
CORE = PLUGIN / "Source" / "PalaverCore"
LAYER = PLUGIN / "Source" / "Palaver"
PROTOCOL = PROJECT_ROOT / "bindings" / "protocol"
# The only part of the core that includes an engine's header.
MODULE = "PalaverCoreModule.cpp"
# Without optimisation: it takes a third of the time to compile, and hides nothing from the sanitizers.
CHECKED = ("-O0", *SANITIZERS)
FAST = ("-O2",)


@dataclass(frozen=True)
class Programs:
    """What was compiled.

    Attributes:
        unit: the tests in C++, with sanitizers.
        play: a game that is driven from outside, and the conversation; with sanitizers.
        cost: measures a frame; optimised.
        layer: a game on the engine layer and stand-ins for the engine; with sanitizers.
    """

    unit: Path
    play: Path
    cost: Path
    layer: Path


def build_programs(cpp: Cpp, out: Path) -> Programs:
    """Compile everything that the tests run into a folder; two compilers at a time."""
    includes = [CORE / "Public", CORE / "Private", HERE / "unit", HERE / "play"]
    core_sources = [file for file in sorted((CORE / "Private").glob("*.cpp")) if file.name != MODULE]
    core = unity(out / "core.cpp", core_sources)
    unit_sources = sorted((HERE / "unit").glob("*.cpp"))
    unit = unity(out / "unit.cpp", [file for file in unit_sources if file.name != "CostMain.cpp"])
    play = unity(out / "play.cpp", sorted((HERE / "play").glob("*.cpp")))
    cost = unity(out / "cost.cpp", [HERE / "unit" / "CostMain.cpp", HERE / "unit" / "FakeSidecar.cpp"])

    layer_includes = [write_engine_headers(out / "engine"), LAYER / "Public", LAYER / "Private", HERE / "stubs"]
    write_generated_headers(sorted((LAYER / "Public").glob("*.h")), out / "engine")
    layer_sources = [*sorted((LAYER / "Private").glob("*.cpp")), CORE / "Private" / MODULE]
    layer_sources += [*sorted((HERE / "stubs").glob("*.cpp")), HERE / "layer" / "LayerMain.cpp"]
    layer = unity(out / "layer.cpp", layer_sources)

    def compiled(source: Path, name: str, options: Sequence[str]) -> Path:
        return cpp.compile([source], out / name, options=options, includes=[*layer_includes, *includes])

    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(compiled, core, "core_checked.o", CHECKED),
            pool.submit(compiled, unit, "unit.o", CHECKED),
            pool.submit(compiled, core, "core_fast.o", FAST),
            pool.submit(compiled, play, "play.o", CHECKED),
            pool.submit(compiled, cost, "cost.o", FAST),
            pool.submit(compiled, layer, "layer.o", CHECKED),
        ]
        core_checked, unit_object, core_fast, play_object, cost_object, layer_object = (job.result() for job in jobs)
    return Programs(
        unit=cpp.compile([unit_object, core_checked], out / "unit", options=SANITIZERS),
        play=cpp.compile([play_object, core_checked], out / "play", options=SANITIZERS),
        cost=cpp.compile([cost_object, core_fast], out / "cost"),
        layer=cpp.compile([layer_object, core_checked], out / "layer", options=SANITIZERS),
    )


def run(program: Path, *arguments: str | Path, timeout_s: float = 60.0, **environ: str) -> str:
    """Run a program to its end, which has to be a good one; what it printed."""
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(
        command, env=os.environ | environ, capture_output=True, encoding="utf-8", timeout=timeout_s, cwd=PROJECT_ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def unity(path: Path, sources: Sequence[Path]) -> Path:
    """One source that includes all of these, as Unreal's build tool makes them too; much faster than one by one."""
    path.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    return path
