"""`python -m tools.bench KIND`: measure one of the things that Palaver promises, and print a report."""

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.errors import PalaverError
from runtime.pocket import POCKET_MODEL
from tools.bench.batching import measure_batching
from tools.bench.deadline import measure_deadlines
from tools.bench.determinism import measure_determinism
from tools.bench.formats import measure_formats
from tools.bench.frames import measure_frames
from tools.bench.idle import measure_idle
from tools.bench.orphans import measure_orphans
from tools.bench.passes import measure_passes
from tools.bench.pins import measure_pins
from tools.bench.samplers import measure_samplers
from tools.bench.wire import measure_wire
from tools.eval.heldout import HELD_OUT_SEED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description="Measure what Palaver promises, on this machine."
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
    same = kinds.add_parser("determinism", parents=[shared], help="the same asks, made in every way there is")
    same.add_argument("--asks", type=int, default=200, help="questions (default 200)")
    same.add_argument("--steps", type=int, default=16, help="most denoising steps (default 16)")
    same.add_argument("--sliced", type=Path, help="folder of the same model in slices (default: this way is left out)")
    batching = kinds.add_parser("batching", parents=[shared], help="lines a second of asks that share passes")
    batching.add_argument("--lines", type=int, default=48, help="for each setting (default 48)")
    samplers = kinds.add_parser("samplers", parents=[shared], help="lines and drafts of each sampler at 4 to 32 steps")
    samplers.add_argument("--questions", type=int, default=300, help="held-out questions for each (default 300)")
    samplers.add_argument("--seed", type=int, default=HELD_OUT_SEED, help="of the questions (default: the standard)")
    pins = kinds.add_parser("pins", parents=[shared], help="pinned words beside the same wish told in the prompt")
    pins.add_argument("--questions", type=int, default=200, help="held-out questions, each in every way (default 200)")
    pins.add_argument("--seed", type=int, default=HELD_OUT_SEED, help="of the questions (default: the standard)")
    wire = kinds.add_parser("wire", parents=[shared], help="round trips to a sidecar, idle and while a line is made")
    wire.add_argument("--rounds", type=int, default=2000, help="pings of each kind, and ten times as many as asks")
    orphans = kinds.add_parser("orphans", parents=[shared], help="sidecars that outlive a game that was killed")
    orphans.add_argument("--rounds", type=int, default=50, help="games killed for each guard (default 50)")
    passes = kinds.add_parser("passes", parents=[shared], help="time and memory of loading, encoding and steps")
    passes.add_argument("--prompt-tokens", type=int, default=256, help="to encode (default 256)")
    passes.add_argument("--canvas", type=int, nargs="+", default=[16], help="positions of the steps (default 16)")
    passes.add_argument("--rounds", type=int, default=5, help="times that each is done (default 5)")
    passes.add_argument("--threads", type=int, default=1, help="of the step graph (default 1)")
    formats = kinds.add_parser("formats", help="precision and size of each way to store a weight")
    formats.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _measure(arguments: argparse.Namespace) -> dict[str, Any]:
    match arguments.kind:
        case "frames":
            return {"settings": measure_frames(arguments.model, arguments.seconds)}
        case "deadline":
            return measure_deadlines(arguments.model, arguments.asks)
        case "determinism":
            return measure_determinism(arguments.model, arguments.sliced, arguments.asks, arguments.steps)
        case "batching":
            return {"settings": measure_batching(arguments.model, arguments.lines)}
        case "wire":
            return measure_wire(arguments.model, arguments.rounds)
        case "orphans":
            return measure_orphans(arguments.model, arguments.rounds)
        case "pins":
            return measure_pins(arguments.model, arguments.questions, arguments.seed)
        case "passes":
            return measure_passes(
                arguments.model, arguments.prompt_tokens, arguments.canvas, arguments.rounds, arguments.threads
            )
        case "formats":
            return measure_formats()
        case "samplers":
            return measure_samplers(arguments.model, arguments.questions, arguments.seed)
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
