"""The whole suite: `python tools/test.py [--venv DIR] [--no-lint] [arguments for pytest]`.

Makes a virtual environment with the dev extra, then checks style, formatting and types and runs pytest. Standard
library only; ends with 0 only when everything passed.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python gets as far as here, and deserves a plain answer
    sys.exit(
        "error: Palaver needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Run this with a newer one"
    )

import argparse
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

LINT = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])


def say(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="test",
        description="Check style and types, then run the tests.",
        epilog="All other arguments go to pytest, for example: tests/runtime -k seed -x",
        allow_abbrev=False,
    )
    parser.add_argument("--venv", type=Path, default=PROJECT_ROOT / ".venv-dev", help="where the environment lives")
    parser.add_argument("--no-lint", action="store_true", help="only pytest")
    options, for_pytest = parser.parse_known_args(arguments)
    venv = options.venv.resolve()
    try:
        stamp = f"editable dev {fingerprint(PROJECT_ROOT, ['pyproject.toml'])}"
        ensure_environment(venv, ["--editable", ".[dev]"], stamp, say)
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1
    steps = [*([] if options.no_lint else LINT), ["pytest", *for_pytest]]
    results = {" ".join(step[:2]) if step[0] == "ruff" else step[0]: passes(venv, step) for step in steps}
    for name, (passed, seconds) in results.items():
        say(f"{'passed' if passed else 'FAILED'}  {name}  ({seconds:.0f} s)")
    return 0 if all(passed for passed, _ in results.values()) else 1


def passes(venv: Path, step: list[str]) -> tuple[bool, float]:
    """Run one tool of the environment on the project; whether it passed, and the seconds it took."""
    say(f"$ {' '.join(step)}")
    started_s = time.monotonic()
    command = [str(python_of(venv)), "-m", *step]
    try:
        passed = subprocess.run(command, cwd=PROJECT_ROOT, env=clean_environ()).returncode == 0
    except KeyboardInterrupt:
        passed = False
    return passed, time.monotonic() - started_s


if __name__ == "__main__":
    sys.exit(main())
