"""`python -m tools.bench frames|deadline|idle`: measure, and print a report."""

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.errors import PalaverError
from runtime.palaver import POCKET_MODEL
from tools.bench.deadline import measure_deadlines
from tools.bench.frames import measure_frames
from tools.bench.idle import measure_idle


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description="Measure what Palaver promises about time, on this machine."
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--model", type=Path, default=POCKET_MODEL, help="folder of the bundle (default: pocket model)")
    shared.add_argument("--json", action="store_true", help="print JSON")
    kinds = parser.add_subparsers(dest="kind", required=True)
    frames = kinds.add_parser("frames", parents=[shared], help="compute in each frame of a game at 60 Hz")
    frames.add_argument("--seconds", type=float, default=30.0, help="of play for each setting (default 30)")
    deadline = kinds.add_parser("deadline", parents=[shared], help="lines at deadlines of 50 to 1000 ms")
    deadline.add_argument("--asks", type=int, default=300, help="questions over all deadlines (default 300)")
    idle = kinds.add_parser("idle", parents=[shared], help="CPU time of a sidecar that has nothing to do")
    idle.add_argument("--seconds", type=float, default=30.0, help="to watch it (default 30)")
    return parser


def _measure(arguments: argparse.Namespace) -> dict[str, Any]:
    match arguments.kind:
        case "frames":
            return {"settings": measure_frames(arguments.model, arguments.seconds)}
        case "deadline":
            return measure_deadlines(arguments.model, arguments.asks)
        case _:
            return measure_idle(arguments.model, arguments.seconds)


def main() -> None:
    """Parse the command line, measure, print."""
    arguments = _parser().parse_args()
    try:
        report = _measure(arguments)
    except PalaverError as error:
        raise SystemExit(f"error: {error}") from None
    if arguments.json:
        print(json.dumps(report))
        return
    for key, value in report.items():
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            print(f"{key}: {row}")


if __name__ == "__main__":
    main()
