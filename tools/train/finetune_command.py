"""`python -m tools.train finetune --lines FILE --out DIR`: train the pocket model on a studio's own script."""

import argparse
import sys
import time
from dataclasses import fields
from pathlib import Path

import torch
from transformers.utils.logging import disable_progress_bar

from export.config import ExportOptions
from export.pipeline import export_checkpoint
from runtime.bundle import BundleManifest, load_bundle
from runtime.pocket import POCKET_MODEL
from tools.eval.report import Share
from tools.train.checkpoint import save_checkpoint
from tools.train.finetune import FinetuneConfig, FinetuneRun, finetune
from tools.train.finetune_eval import evaluate, grounding
from tools.train.finetune_keep import SHARES, keep_share
from tools.train.finetune_report import Outcome, write_report
from tools.train.script.cast import Cast, read_cast
from tools.train.script.read import PLAYERS, READERS, read_script
from tools.train.script.sample import Script
from tools.train.script.scenes import divide, speakers

KEEP_SEED = 30_000_001  # of the questions that decide how much is kept; those of the report are others
KEEP_TOLERANCE = 0.01  # part of them that chance may lose
_SHOWN_SPEAKERS = 8


def add_finetune(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand and its options."""
    parser = commands.add_parser(
        "finetune",
        help="train the pocket model on a script of your own",
        description="Read a script, hold a tenth of its lines back, train the pocket model on the others, measure it "
        "before and after, and export a bundle that a game can use. An interrupted run (Ctrl-C saves) goes on where it "
        "stopped: give the same command again.",
        epilog="DIR/bundle is the model, DIR/checkpoint the same for transformers, DIR/report.json the figures. "
        "docs/finetune.md tells how each format is read.",
    )
    parser.add_argument(
        "--lines", type=Path, required=True, metavar="FILE", help=f"script ({', '.join(READERS)}), or a folder of them"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the run and its result")
    parser.add_argument(
        "--personas",
        type=Path,
        help="TOML or JSON file with the speakers' personas, or a folder of such files and .tres",
    )
    parser.add_argument(
        "--player",
        action="append",
        metavar="NAME",
        help=f"who is the player, may be repeated (default: {', '.join(PLAYERS)})",
    )
    parser.add_argument(
        "--base", type=Path, default=POCKET_MODEL, help="bundle to start from (default: the pocket model)"
    )
    parser.add_argument("--minutes", type=float, help="most time to train (default: as long as the passes take)")
    parser.add_argument("--passes", type=float, help="times that every line is seen (default: by the number of lines)")
    parser.add_argument(
        "--share",
        type=float,
        help="part of the change to keep, 0 to 1 (default: as much as leaves facts answered as before)",
    )
    parser.add_argument("--questions", type=int, default=300, help="held-out questions of the corpus (default 300)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads (default: all cores)")
    parser.add_argument(
        "--compile-norms", action="store_true", help="let torch compile the norms: faster, needs a C++ compiler"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of order and noise (default 0)")
    parser.set_defaults(run=run_finetune)


def _tell(script: Script, cast: Cast, counts: tuple[int, int]) -> None:
    """What was read, and what there was no use for."""
    _say(f"{counts[0]} lines to train on, {counts[1]} held out")
    named = speakers(script.samples)
    shown = [f"{name} ({count}{'' if cast.knows(name) else ', no persona'})" for name, count in named.items()]
    _say(f"speakers: {', '.join(shown[:_SHOWN_SPEAKERS])}{', ...' if len(shown) > _SHOWN_SPEAKERS else ''}")
    for reason, count in script.left_out.items():
        _say(f"left out: {count}, because the line {reason}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _write(run: FinetuneRun, checkpoint: Path, bundle: Path, base: BundleManifest) -> None:
    """The model as it is now, as a checkpoint and as a bundle that is stored as its base is."""
    save_checkpoint(run.model, run.tokenizer, checkpoint)
    options = ExportOptions(
        checkpoint,
        bundle,
        experts=base.quantisation.experts,
        linear=base.quantisation.linear,
        block_size=base.quantisation.block_size,
        slices=max(1, len(base.slices)),
        name=run.config.out.resolve().name,
        licence=base.licence,
    )
    export_checkpoint(options, _say)


def run_finetune(arguments: argparse.Namespace) -> None:
    """Run the subcommand. Raises PalaverError."""
    started = time.perf_counter()
    disable_progress_bar()
    named = {field.name for field in fields(FinetuneConfig)}
    config = FinetuneConfig(**{key: value for key, value in vars(arguments).items() if key in named})
    torch.set_num_threads(config.threads)
    script = read_script(arguments.lines, arguments.player or PLAYERS)
    cast = read_cast(arguments.personas) if arguments.personas else Cast()
    base = load_bundle(config.base)
    parts = divide(script, cast, base.tokenizer, config.row_length)
    _tell(script, cast, parts.counts())

    run = FinetuneRun(config, parts)
    _say("measuring the model as it is")
    before = evaluate(config.base, parts, arguments.questions, config.row_length)
    finetune(run)
    bundle = config.out / "bundle"
    shares = SHARES if config.share is None else (config.share,)
    wanted = grounding(config.base, arguments.questions, KEEP_SEED) if len(shares) > 1 else Share(0, 0)

    def is_whole() -> bool:
        _write(run, config.out / "checkpoint", bundle, base.manifest)
        found = grounding(bundle, arguments.questions, KEEP_SEED) if len(shares) > 1 else wanted
        return found.hits >= wanted.hits - KEEP_TOLERANCE * wanted.total

    share = keep_share(run.model, config.base, shares, is_whole)
    _say("measuring the new model")
    after = evaluate(bundle, parts, arguments.questions, config.row_length)
    lines, held_out = parts.counts()
    outcome = Outcome(
        lines,
        held_out,
        run.step_index * config.script_rows / run.rows_a_pass,
        share,
        run.seconds,
        time.perf_counter() - started,
        before,
        after,
        bundle,
    )
    write_report(outcome, config, config.out)
    print(outcome.as_text(config))
