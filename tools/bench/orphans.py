"""Does a sidecar outlive its game: a parent is killed without warning, over and over, before and after READY."""

import contextlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from runtime.errors import PalaverError

GUARDS = ("--parent-pid", "--stdio-guard")
_AT_ONCE = 5
_GONE_S = 20.0

# Starts a sidecar as a game would, tells its process id, and waits to be killed. With the guard of standard input it
# holds the pipe; otherwise the sidecar has none.
_PARENT = """
import os, subprocess, sys
guard, model = sys.argv[1:]
options = [guard, str(os.getpid())] if guard == "--parent-pid" else [guard]
stdin = subprocess.PIPE if guard == "--stdio-guard" else subprocess.DEVNULL
command = [sys.executable, "-P", "-m", "runtime.serve", "--model", model, *options]
child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
print(child.pid, flush=True)
print(child.stdout.readline(), flush=True)
child.wait()
"""


def measure_orphans(model: Path, rounds: int) -> dict[str, Any]:
    """Kill so many parents for each guard; half of them while the sidecar still starts, half when it was ready.

    Raises:
        PalaverError: this system does not send SIGKILL.
    """
    if sys.platform == "win32":
        raise PalaverError("this kills processes with SIGKILL", "Run it on Linux or macOS")
    return {"rounds": rounds, "guards": [_rounds(guard, model, rounds) for guard in GUARDS]}


def _rounds(guard: str, model: Path, rounds: int) -> dict[str, Any]:
    dice = random.Random(0)
    took_s: list[float] = []
    orphans = 0
    for first in range(0, rounds, _AT_ONCE):
        numbers = range(first, min(rounds, first + _AT_ONCE))
        parents = [(_start(guard, model), number % 2 == 0) for number in numbers]
        sidecars = [_pid_of_child(parent, ready=ready) for parent, ready in parents]
        time.sleep(dice.uniform(0.0, 0.3))
        killed_s = time.monotonic()
        for parent, _ in parents:
            parent.kill()
        for pid in sidecars:
            if _is_gone(pid, killed_s + _GONE_S):
                took_s.append(time.monotonic() - killed_s)
            else:
                orphans += 1
                os.kill(pid, 9)
        for parent, _ in parents:
            parent.wait()
            assert parent.stdout is not None
            parent.stdout.close()
    return {"guard": guard, "orphans": orphans, "slowest_end_s": round(max(took_s, default=0.0), 3)}


def _start(guard: str, model: Path) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", _PARENT, guard, str(model.resolve())],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(root)},
        text=True,
    )


def _pid_of_child(parent: subprocess.Popen[str], *, ready: bool) -> int:
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    if ready:
        parent.stdout.readline()
    return pid


def _is_gone(pid: int, until_s: float) -> bool:
    """Whether the process ends in time; one that nobody asks after any more, a zombie, has ended."""
    while time.monotonic() < until_s:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with contextlib.suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
            if state == "Z":
                return True
        time.sleep(0.01)
    return False
