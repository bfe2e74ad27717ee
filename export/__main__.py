"""Command line of the exporter: python -m export CHECKPOINT OUT."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from export.config import BLOCK_SIZES, EMBEDDING_MODES, EXPERT_MODES, LINEAR_MODES, TARGETS, ExportOptions
from export.errors import ExportError
from export.quantise import METHODS
from runtime.errors import PalaverError

if TYPE_CHECKING:
    from export.pipeline import ExportSummary

_DESCRIPTION = """\
Turn a Hugging Face DiffusionGemma checkpoint into a bundle that Palaver plays.

CHECKPOINT is a folder with config.json, generation_config.json, safetensors weights, tokenizer.json and a chat
template. OUT becomes the bundle: one step graph for both passes, its weights stored once beside it, tokenizer, chat
template, and bundle.json, which says what is inside. The vision tower is left out.
"""

_EPILOG = """\
examples:
  python -m export ./checkpoint ./bundle --verify
      int4 experts, everything else fp32, compared with transformers before it is kept
  python -m export ./checkpoint ./bundle --linear int8
      smaller and faster: attention and dense layers in 8 bits
  python -m export ./checkpoint ./bundle --slices 4
      four graphs that share the weights: the same lines, computed about a quarter of a step at a time
  python -m export ./checkpoint ./bundle --lora ./adapter
      the weights with a LoRA adapter merged into them, in the format of the library PEFT
  python -m export ./26B ./bundle --linear int4 --embeddings int8 --block-size 64 --dry-run
      how large the bundle of the whole model would be, and what it takes to make it

OUT is written beside its place and moved there when it is whole; a failed export leaves nothing behind, an interrupted
one what it has written so far, with which the same command goes on. An existing OUT is replaced only if it is a bundle.
Weights are read and written piece by piece, so that a checkpoint may be larger than the memory; --verify alone loads
all of it. Exit code 0: done; 1: the result is not exact; 2: the input cannot be used.
"""

_EXIT_NOT_EXACT = 1
_EXIT_BAD_INPUT = 2
_EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the exporter and return its exit code; progress and errors go to stderr, the summary to stdout."""
    parsed = _parser().parse_args(arguments)
    try:
        options = ExportOptions(
            checkpoint=parsed.checkpoint,
            out=parsed.out,
            experts=parsed.experts,
            linear=parsed.linear,
            embeddings=parsed.embeddings,
            block_size=parsed.block_size,
            scales=parsed.scales,
            asymmetric=parsed.asymmetric,
            slices=parsed.slices,
            target=parsed.target,
            name=parsed.name,
            licence=parsed.licence,
            lora=parsed.lora,
            dry_run=parsed.dry_run,
            verify=parsed.verify,
        )
        summary = _export(options)
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
        return _EXIT_NOT_EXACT if error.code == "not-exact" else _EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted: no bundle was written", file=sys.stderr)
        return _EXIT_INTERRUPTED
    print(_as_json(summary) if parsed.json else _as_text(summary))
    return 0


def _export(options: ExportOptions) -> "ExportSummary":
    # Imported late: torch and transformers take seconds, --help and a mistyped option should not.
    try:
        from export.pipeline import export_checkpoint
    except ModuleNotFoundError as error:
        raise ExportError(
            f"the exporter needs {error.name}, which is not installed", 'Run pip install "palaver[export]"'
        ) from error
    return export_checkpoint(options, lambda line: print(line, file=sys.stderr, flush=True))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m export",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkpoint", metavar="CHECKPOINT", type=Path, help="folder of the checkpoint")
    parser.add_argument("out", metavar="OUT", type=Path, help="folder of the bundle to write")
    parser.add_argument(
        "--experts", choices=EXPERT_MODES, default="int4", help="how expert weights are stored (default: int4)"
    )
    parser.add_argument(
        "--linear",
        choices=LINEAR_MODES,
        default="fp32",
        help="how attention, dense MLP and self-conditioning weights are stored (default: fp32)",
    )
    parser.add_argument(
        "--embeddings",
        choices=EMBEDDING_MODES,
        default="fp32",
        help="how the embedding is stored, which is the head too (default: fp32)",
    )
    parser.add_argument(
        "--block-size",
        type=int,
        choices=BLOCK_SIZES,
        default=32,
        help="weights that share a scale when quantised; smaller is more precise and larger on disk (default: 32)",
    )
    parser.add_argument(
        "--scales",
        choices=METHODS,
        default="extreme",
        help="how the scale of a block is found: from its largest value, which is quick, or with the smallest squared "
        "error, which takes six times as long (default: extreme)",
    )
    parser.add_argument(
        "--asymmetric",
        action="store_true",
        help="give each block of 4-bit weights a zero point of its own: a smaller error, half a byte more a block",
    )
    parser.add_argument(
        "--slices",
        metavar="N",
        type=int,
        default=1,
        help="graphs that the step is cut into between layers, from 1 to the number of layers plus 1 (default: 1)",
    )
    parser.add_argument("--target", choices=TARGETS, default="cpu", help="what the graph is made for (default: cpu)")
    parser.add_argument("--name", default="", help="name of the bundle (default: the checkpoint folder's)")
    parser.add_argument("--licence", metavar="SPDX", default="unspecified", help="licence of the weights")
    parser.add_argument(
        "--lora", metavar="DIR", type=Path, help="folder of a LoRA adapter (PEFT's format) to merge into the weights"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say how large the bundle becomes, how much memory and about how much time it takes, and write nothing",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="run transformers and the bundle side by side, print the largest differences, fail on a mismatch",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    return parser


def _as_text(summary: "ExportSummary") -> str:
    manifest = summary.manifest
    if manifest is None:
        return f"{summary.out} would have {summary.estimate.describe()}"
    width = max(map(len, manifest.files))
    total_bytes = sum(record.bytes for record in manifest.files.values())
    lines = [f"{summary.out}: {manifest.name}, {_size(total_bytes)}, {summary.seconds:.0f} s"]
    lines += [f"  {name:<{width}}  {_size(record.bytes):>12}" for name, record in manifest.files.items()]
    return "\n".join(lines)


def _as_json(summary: "ExportSummary") -> str:
    told: dict[str, Any] = {"out": str(summary.out), "estimate": asdict(summary.estimate)}
    if (manifest := summary.manifest) is not None:
        told |= {
            "name": manifest.name,
            "target": manifest.target,
            "slices": max(1, len(manifest.slices)),
            "quantisation": asdict(manifest.quantisation),
            "files": {name: record.bytes for name, record in manifest.files.items()},
            "total_bytes": sum(record.bytes for record in manifest.files.values()),
            "seconds": round(summary.seconds, 3),
            "verified": None if summary.verified is None else asdict(summary.verified),
        }
    return json.dumps(told, ensure_ascii=False)


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1_000_000 else f"{count / 1e3:,.1f} kB"


if __name__ == "__main__":
    sys.exit(main())
