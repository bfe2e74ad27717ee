"""`python -m tools.train --minutes N --out DIR`: train the pocket model, or go on with a run."""

import argparse
import signal
from dataclasses import fields
from pathlib import Path

import torch

from tools.train.loop import TrainingConfig, train


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train",
        description="Train the pocket model on the project's own corpus and write a Hugging Face checkpoint. "
        "An interrupted run goes on where it stopped: give the same command again.",
        epilog="Then: python -m export DIR runtime/models/pocket --verify",
    )
    parser.add_argument("--minutes", type=float, required=True, help="length of the whole run")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads (default: all cores)")
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cuda" if torch.cuda.is_available() else "cpu",
        help="default: cuda where there is one",
    )
    parser.add_argument("--rows", type=int, default=16, help="packed rows in a batch (default 16)")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and noise (default 0)")
    return parser


def main() -> None:
    """Parse the command line and train."""
    arguments = vars(_parser().parse_args())
    names = {field.name for field in fields(TrainingConfig)}
    # A terminated run saves like an interrupted one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        train(TrainingConfig(**{name: value for name, value in arguments.items() if name in names}))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
