"""The tavern, from a fresh clone to a running game: `python samples/godot-tavern/run.py`.

Needs Python 3.11 or newer and Godot 4.4 or newer: found by --godot, GODOT, PALAVER_GODOT or on PATH, and on Debian
installed into a folder of its own where it is none of them. Copies the addon into the project, has Godot import both
and starts the game, with a sidecar that runs in this Python if that has what Palaver depends on, else in a virtual
environment.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.engines.godot import find_godot
from tools.environment import PROJECT_ROOT, SetupError, ensure_environment, fingerprint, python_of
from tools.quickstart import INSTALLED_FROM

TAVERN = Path(__file__).resolve().parent
ADDON = PROJECT_ROOT / "bindings" / "godot" / "addons" / "palaver"
# Suffixes of the files that Godot puts beside others when it imports a project.
IMPORTED = (".import", ".uid")
NOT_COPIED = shutil.ignore_patterns(".godot", "addons", "*.import", "*.uid", "*.py", "__pycache__")
STAMP = Path(".godot") / "palaver-stamp"
DEPENDENCIES = ("jinja2", "msgpack", "numpy", "onnxruntime", "tokenizers", "zmq")
IMPORT_TIMEOUT_S = 300
# A script that cannot be parsed never quits. Minutes, whatever the frame rate.
MOST_FRAMES = 30_000


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        godot = find_godot(options.godot)
        project = prepare(options.project, godot)
        if options.prepare:
            return 0
        environ = with_sidecar(dict(os.environ))
        starting = command(options, godot, project)
        if options.bench:
            return bench(starting, environ, as_json=options.json)
        if options.play or options.screenshot:
            return scripted(starting, environ, lambda line: print(line, end="", flush=True))
        with subprocess.Popen(starting, env=environ) as game:
            return see_out(game)
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 1


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description="Run the Palaver tavern in Godot.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--prepare", action="store_true", help="make the project ready for Godot and stop there")
    what.add_argument("--editor", action="store_true", help="open the project in Godot's editor")
    what.add_argument("--play", action="store_true", help="let the tavern play itself, without a window; JSON lines")
    what.add_argument("--bench", action="store_true", help="measure what talking costs the game's thread, no window")
    what.add_argument("--screenshot", type=Path, metavar="PNG", help="take a picture of a talk")
    parser.add_argument("--json", action="store_true", help="with --bench: print one JSON text")
    parser.add_argument("--pairs", type=int, default=8, help="with --bench: pairs of blocks (default 8)")
    parser.add_argument("--frames", type=int, default=300, help="with --bench: frames a block (default 300)")
    parser.add_argument("--project", type=Path, metavar="DIR", help="make a copy of the project here and use that")
    parser.add_argument("--godot", metavar="PROGRAM", help="Godot, where it is not found by itself")
    return parser.parse_args(arguments)


def prepare(copy: Path | None, godot: Path) -> Path:
    """The project's folder, with today's addon in it and imported. Raises SetupError."""
    project = TAVERN
    if copy is not None:
        project = copy.resolve()
        shutil.copytree(TAVERN, project, ignore=NOT_COPIED, dirs_exist_ok=True)
    addon = project / "addons" / "palaver"
    shutil.rmtree(addon, ignore_errors=True)
    shutil.copytree(ADDON, addon, ignore=NOT_COPIED)
    stamp = project / STAMP
    found = (path.relative_to(project) for path in project.rglob("*") if path.is_file())
    made_of = [str(path) for path in found if path.parts[0] != ".godot" and path.suffix not in IMPORTED]
    wanted = fingerprint(project, made_of)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        import_project(project, godot)
        stamp.write_text(wanted, encoding="utf-8")
    return project


def import_project(project: Path, godot: Path) -> None:
    """Let Godot make its own form of scripts and pictures; it needs that once, and after each change."""
    print("importing the project", file=sys.stderr)
    importing = [str(godot), "--headless", "--path", str(project), "--import"]
    done = subprocess.run(importing, capture_output=True, timeout=IMPORT_TIMEOUT_S)
    told = (done.stdout + done.stderr).decode("utf-8", errors="replace")
    # Godot ends with 0 even where a script cannot be parsed.
    if done.returncode != 0 or "ERROR" in told:
        raise SetupError(f"Godot could not import the project.\n{told}")


def with_sidecar(environ: dict[str, str]) -> dict[str, str]:
    """The environment in which the addon finds a sidecar: the one named already, or a Python that has Palaver in it."""
    if "PALAVER_EXECUTABLE" in environ:
        return environ
    if all(find_spec(name) for name in DEPENDENCIES):
        path = os.pathsep.join(filter(None, [str(PROJECT_ROOT), environ.get("PYTHONPATH")]))
        return environ | {"PALAVER_EXECUTABLE": sys.executable, "PYTHONPATH": path}
    venv = PROJECT_ROOT / ".venv"
    stamp = f"plain {fingerprint(PROJECT_ROOT, INSTALLED_FROM)}"
    ensure_environment(venv, ["."], stamp, lambda line: print(line, file=sys.stderr))
    return environ | {"PALAVER_EXECUTABLE": str(python_of(venv))}


def command(options: argparse.Namespace, godot: Path, project: Path) -> list[str]:
    """How Godot is started for what is wanted."""
    start = [str(godot), "--no-header", "--path", str(project)]
    if options.editor:
        return [*start, "--editor"]
    script = [*start, "--quit-after", str(MOST_FRAMES)]
    if options.play:
        return [*script, "--headless", "res://play/scripted_play.tscn"]
    if options.bench:
        blocks = ["--", "--pairs", str(options.pairs), "--frames", str(options.frames)]
        return [*script, "--headless", "res://play/bench.tscn", *blocks]
    if options.screenshot:
        out = ["--", "--out", str(options.screenshot.resolve())]
        drawing = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy"]
        return [*screen(), *script, *drawing, "res://play/screenshot.tscn", *out]
    return start


def screen() -> list[str]:
    """What to put before a program that draws, on a machine without a screen."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return []
    if shutil.which("xvfb-run") is None:
        raise SetupError("There is no screen. Install Xvfb (on Debian and Ubuntu the packages xvfb and xauth)")
    return ["xvfb-run", "-a", "-s", "-screen 0 1280x720x24 -nolisten tcp"]


def see_out(game: subprocess.Popen[str] | subprocess.Popen[bytes]) -> int:
    """Wait for the game to end, and end it when this process is asked to end."""
    try:
        return game.wait()
    except KeyboardInterrupt:
        game.terminate()
        raise


def scripted(starting: list[str], environ: dict[str, str], tell: Callable[[str], object]) -> int:
    """Run one of the scripted scenes; Godot ends with 0 too where a script broke off, and this then with 1."""
    last = ""
    with subprocess.Popen(starting, env=environ, stdout=subprocess.PIPE, encoding="utf-8") as game:
        assert game.stdout is not None
        for line in game.stdout:
            tell(line)
            last = line
        code = see_out(game)
    return code if code or last.startswith('{"step":"quit"') else 1


def bench(starting: list[str], environ: dict[str, str], *, as_json: bool) -> int:
    told: list[str] = []
    code = scripted(starting, environ, told.append)
    if code:
        print("error: the bench broke off; the lines above say why", file=sys.stderr)
        return code
    measured = next(json.loads(line) for line in told if line.startswith('{"step":"measured"'))
    if as_json:
        print(json.dumps(measured))
        return 0
    print("game thread, ms a frame       median      99 %")
    for kind in ("idle", "talking", "difference"):
        print(f"  {kind:24} {measured[kind]['median_ms']:9.3f} {measured[kind]['p99_ms']:9.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
