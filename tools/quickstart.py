"""From a fresh clone to three NPCs that answer: `python tools/quickstart.py`.

Makes a virtual environment, installs the project into it, starts the sidecar from there and asks three NPCs a question
each. Standard library only; ends with 0 when all three have answered, else with 1 and the reason.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python gets as far as here, and deserves a plain answer
    sys.exit(
        "error: Palaver needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Run this with a newer one"
    )

import argparse
import contextlib
import signal
import subprocess
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.environment import (
    PROJECT_ROOT,
    SetupError,
    clean_environ,
    ensure_environment,
    fingerprint,
    python_of,
)

ASKING = PROJECT_ROOT / "samples" / "terminal" / "ask_three.py"
# Everything that the installation is made from: a change in any of it makes the installed copy stale.
INSTALLED_FROM = ("LICENSE", "NOTICE", "README.md", "export", "pyproject.toml", "runtime")
GRACE_S = 5.0


def say(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="quickstart", description="Install Palaver and hear three NPCs answer.")
    parser.add_argument("--venv", type=Path, default=PROJECT_ROOT / ".venv", help="where the virtual environment lives")
    parser.add_argument("--model", type=Path, help="a bundle to use in place of the pocket model")
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a console that cannot show a character
    # A polite end of this process is passed on like Ctrl-C, so that the sidecar never outlives it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        started_s = time.monotonic()
        venv = options.venv.resolve()
        stamp = f"plain {fingerprint(PROJECT_ROOT, INSTALLED_FROM)}"
        installed = ensure_environment(venv, ["."], stamp, say)
        done = f"installed in {time.monotonic() - started_s:.0f} s" if installed else "already installed"
        say(f"Palaver is {done}: {venv}")
        # Outside the repository, so that the installed package runs and not the sources beside this file.
        command = [str(python_of(venv)), str(ASKING)] + (
            ["--model", str(options.model.resolve())] if options.model else []
        )
        code = run_to_the_end(command, venv)
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 1
    if code != 0:
        print(f"error: asking the NPCs failed (exit code {code}). The lines above say why", file=sys.stderr)
        return 1
    say(f"done in {time.monotonic() - started_s:.0f} s")
    return 0


def run_to_the_end(command: list[str], folder: Path) -> int:
    """Run a command in a folder and return its exit code; on Ctrl-C, see it out first."""
    child = subprocess.Popen(command, cwd=folder, env=clean_environ())
    try:
        return child.wait()
    except KeyboardInterrupt:
        # A terminal's Ctrl-C has reached the child as well; only one that missed it is told again.
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_S)
        if child.poll() is None and sys.platform != "win32":
            child.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(GRACE_S)
        raise
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


if __name__ == "__main__":
    sys.exit(main())
