"""A virtual environment with the project in it: made once, refreshed whenever what it was made from has changed.

Standard library only: this runs before anything is installed.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parent.parent
STAMP_NAME = ".palaver-stamp"
TAIL_LINES = 25
PROGRESS_WORDS = ("Building wheel for", "Downloading", "Installing")


class SetupError(Exception):
    """The environment could not be made; the text says why and what to do."""


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment, on any platform."""
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def clean_environ() -> dict[str, str]:
    """This process's environment variables, less those that would make a venv's Python import something else."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
    return kept | {"PYTHONUTF8": "1"}


def fingerprint(root: Path, names: Iterable[str]) -> str:
    """SHA-256 over the names and bytes of files, and of all files below folders, given relative to `root`."""
    digest = hashlib.sha256()
    for name in sorted(names):
        top = root / name
        files = sorted(top.rglob("*")) if top.is_dir() else [top]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                content = file.read_bytes()
                digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
                digest.update(content)
    return digest.hexdigest()


def ensure_environment(venv: Path, install: Sequence[str], stamp: str, say: Callable[[str], None]) -> bool:
    """Have `venv` hold what `pip install *install` gives, run from the project's root.

    `stamp` names what the installation is made from. An environment that carries the same stamp is left alone, one
    with another stamp or none is installed into again. Returns whether anything was installed.

    Raises SetupError when the folder is not a virtual environment, or when Python or pip fail.
    """
    create_venv(venv, say)
    python, stamp_file = python_of(venv), venv / STAMP_NAME
    if stamp_file.is_file() and stamp_file.read_text(encoding="utf-8") == stamp and _has_project(python):
        return False
    # Gone before pip starts, so that an interrupted installation is never taken for a finished one.
    stamp_file.unlink(missing_ok=True)
    pip = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    _run([*pip, *install], f"pip could not install {' '.join(install)}", say)
    stamp_file.write_text(stamp, encoding="utf-8")
    return True


def create_venv(venv: Path, say: Callable[[str], None]) -> None:
    """Make the virtual environment `venv` unless a working one is there. Raises SetupError."""
    if (venv / "pyvenv.cfg").is_file() and _works(python_of(venv)):
        return
    if venv.is_dir() and any(venv.iterdir()) and not (venv / "pyvenv.cfg").is_file():
        raise SetupError(f"{venv} exists and is not a virtual environment. Name another folder with --venv")
    say(f"making a virtual environment in {venv}")
    _run(
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        "Python could not make a virtual environment (on Debian and Ubuntu it needs the package python3-venv)",
        say,
    )


def _works(python: Path) -> bool:
    """Whether this interpreter runs, is new enough and has pip."""
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return _quietly(python, probe)


def _has_project(python: Path) -> bool:
    return _quietly(python, "import importlib.metadata; importlib.metadata.version('palaver')")


def _quietly(python: Path, code: str) -> bool:
    if not python.is_file():
        return False
    try:
        # Isolated and away from the sources: what is asked is what the environment itself holds.
        done = subprocess.run([str(python), "-I", "-c", code], capture_output=True, timeout=120, cwd=python.parent)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _run(command: Sequence[str], complaint: str, say: Callable[[str], None]) -> None:
    """Run a command in the project's root, say its lines of progress, raise SetupError with its last lines."""
    lines: list[str] = []
    try:
        process = subprocess.Popen(
            command,
            cwd=PROJECT_ROOT,
            env=clean_environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise SetupError(f"{complaint}: {error}") from error
    with process:
        assert process.stdout is not None
        try:
            for line in map(str.strip, process.stdout):
                lines.append(line)
                if line.startswith(PROGRESS_WORDS):
                    say(f"  {line}")
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise SetupError("\n".join([f"{complaint}. Its last lines:", *lines[-TAIL_LINES:]]))
