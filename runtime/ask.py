"""One question in the terminal: python -m runtime.ask "What do you sell?" """

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from runtime.errors import PalaverError, RequestError
from runtime.installation import installation_warning
from runtime.npc import Npc
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS

BUILT_IN_NPCS = Path(__file__).parent / "npcs"
DEFAULT_NPC = BUILT_IN_NPCS / "smith.toml"

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 1 (model or bundle), 2 (bad input), 130 (interrupted)."""
    _use_utf8()
    options = _parser().parse_args(arguments)
    if (warning := installation_warning()) is not None:
        print(f"warning: {warning}", file=sys.stderr)
    try:
        _ask(options)
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, RequestError) else 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _ask(options: argparse.Namespace) -> None:
    npc = Npc.from_toml(options.npc)
    # Loading ONNX Runtime takes a moment: --help and a bad NPC file need not wait for it.
    from runtime.palaver import load
    from runtime.trace import StepTrace, can_dim

    palaver = load(options.model)
    bundle = palaver.engine.bundle
    trace = StepTrace(sys.stderr, bundle.tokenizer, bundle.manifest.generation.eos_token_ids, dim=can_dim(sys.stderr))
    line = palaver.ask(
        npc,
        options.text,
        seed=options.seed,
        steps=options.steps,
        max_tokens=options.max_tokens,
        sampler=options.sampler,
        on_step=trace if options.trace else None,
    )
    # In the terminal there is no deadline, and one number of steps says it all.
    mapping = {"steps": line.steps_done, **line.to_mapping()}
    print(json.dumps(mapping, ensure_ascii=False) if options.json else line.text)
    if line.finish_reason == "empty":
        print(f"note: nothing was said, {line.rerolls} re-rolls included (seed {line.seed})", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m runtime.ask", description="Ask an NPC one question and print its line.", allow_abbrev=False
    )
    parser.add_argument("text", help="what the player says")
    parser.add_argument(
        "--npc", type=Path, default=DEFAULT_NPC, metavar="FILE.toml", help="who answers (default: a smith)"
    )
    parser.add_argument("--model", type=Path, metavar="DIR", help="folder of a bundle (default: the pocket model)")
    parser.add_argument("--seed", type=int, metavar="N", help="for the same line again (default: random)")
    parser.add_argument("--steps", type=int, metavar="N", help="most denoising steps a canvas (default: the model's)")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of the line (default: the model's)")
    parser.add_argument("--sampler", choices=list(SAMPLERS), help=f"how noise becomes text (default {DEFAULT_SAMPLER})")
    parser.add_argument("--json", action="store_true", help="print the line with seed, steps, tokens and timings")
    parser.add_argument("--trace", action="store_true", help="show each denoising step on standard error")
    return parser


def _use_utf8() -> None:
    """Windows would write to a pipe in its legacy code page, where most names and quotes do not exist."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
