"""`python -m tools.train pretrain` makes the pocket model, `python -m tools.train finetune` one of your own from it."""

import argparse
import signal
from dataclasses import fields
from pathlib import Path

import torch

from runtime.errors import PalaverError
from tools.train.finetune_command import add_finetune
from tools.train.loop import TrainingConfig, train


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.train", description=__doc__.replace("`", ""))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_pretrain(commands)
    add_finetune(commands)
    return parser


def _add_pretrain(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "pretrain",
        help="train the pocket model from scratch",
        description="Train the pocket model on the project's own corpus and write a Hugging Face checkpoint. "
        "An interrupted run goes on where it stopped: give the same command again.",
        epilog="Then: python -m export DIR runtime/models/pocket --verify",
    )
    parser.add_argument("--minutes", type=float, required=True, help="length of the whole run")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--base", type=Path, help="bundle of a pocket model to start from (default: afresh)")
    parser.add_argument(
        "--kept-share",
        type=float,
        default=1.0,
        help="of the change from --base, how much is kept at the end, above 0 and up to 1 (default 1)",
    )
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads (default: all cores)")
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cuda" if torch.cuda.is_available() else "cpu",
        help="default: cuda where there is one",
    )
    parser.add_argument(
        "--compile-norms", action="store_true", help="let torch compile the norms: faster, needs a C++ compiler"
    )
    parser.add_argument("--rows", type=int, default=16, help="packed rows in a batch (default 16)")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and noise (default 0)")
    parser.set_defaults(run=_pretrain)


def _pretrain(arguments: argparse.Namespace) -> None:
    names = {field.name for field in fields(TrainingConfig)}
    train(TrainingConfig(**{name: value for name, value in vars(arguments).items() if name in names}))


def main() -> None:
    """Parse the command line and train."""
    arguments = _parser().parse_args()
    # A terminated run saves like an interrupted one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        arguments.run(arguments)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except PalaverError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
