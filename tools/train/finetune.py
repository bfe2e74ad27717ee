"""Fine-tuning: batches of a studio's own lines and of the corpus, from the weights of a bundle on.

Half of every batch is the corpus that the model was trained on first: it would forget else how to answer from facts.
"""

import math
import random
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from runtime.errors import PalaverError
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.checkpoint import load_state, save_state
from tools.train.corpus import Scene, scenes
from tools.train.loop import split_parameters
from tools.train.loss import Passes, compute_losses, corrupt
from tools.train.muon import Muon
from tools.train.packing import pack
from tools.train.pocket import PackedDenoiser, compile_norms, prepare_for_training
from tools.train.script.scenes import Parts, draw_scenes

REPLAY_SEED = 7_000_003  # pre-training and evaluation draw the corpus from other seeds
MOST_PASSES, FEWEST_PASSES = 16.0, 2.0
LINES_OF_MOST_PASSES = 500
FIRST_REPORT = 2  # batches until the time left is told for the first time


@dataclass(frozen=True, slots=True)
class FinetuneConfig:
    """One run.

    Attributes:
        base: bundle whose weights are the start.
        out: folder of the run; one found there is continued.
        minutes: most time to train, interruptions not counted; None for as long as the passes take.
        passes: times that every line is seen; None for as many as are good for a script of its size.
        share: part of the change that is kept; None for as much as leaves facts answered as before.
        rows, row_length: a batch is rows x row_length tokens.
        replay_share: part of the rows that come from the corpus.
        muon_lr: learning rate of the matrices, to begin with.
        adam_lr: learning rate of embeddings, norms, routers, to begin with.
        warmup_steps: batches over which the learning rates rise.
        passes_weights: relative frequency of batches of each kind in `Passes`, in its order.
        save_minutes: time between saved states.
        report_seconds: time between two lines of progress.
        threads: CPU threads of torch.
        compile_norms: let torch compile the norms, which needs a C++ compiler.
        seed: seed of the order and of the noise.
    """

    base: Path
    out: Path
    minutes: float | None = None
    passes: float | None = None
    share: float | None = None
    rows: int = 8
    row_length: int = 480
    replay_share: float = 0.5
    muon_lr: float = 0.003
    adam_lr: float = 6e-4
    warmup_steps: int = 10
    passes_weights: tuple[float, ...] = (0.4, 0.25, 0.35)
    save_minutes: float = 5.0
    report_seconds: float = 15.0
    threads: int = 1
    compile_norms: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("minutes", "passes"):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise PalaverError(f"{name} is {value}", f"Give --{name} a number above 0, or leave it out")
        if self.share is not None and not 0 <= self.share <= 1:
            raise PalaverError(f"share is {self.share}", "Give --share a number from 0 to 1, or leave it out")

    @property
    def script_rows(self) -> int:
        """Rows of a batch that come from the script."""
        return max(1, round(self.rows * (1 - self.replay_share)))

    def passes_over(self, lines: int) -> float:
        """Times that each of `lines` lines is seen: a small script needs more."""
        if self.passes is not None:
            return self.passes
        return max(FEWEST_PASSES, min(MOST_PASSES, MOST_PASSES * math.sqrt(LINES_OF_MOST_PASSES / lines)))


class FinetuneRun:
    """Model, optimizers and progress of one run; `state()` and `restore()` carry it over an interruption."""

    def __init__(self, config: FinetuneConfig, parts: Parts) -> None:
        self.config, self.parts = config, parts
        model, self.tokenizer = load_pocket_bundle(config.base)
        self.model = prepare_for_training(model, fresh=False)
        if config.compile_norms:
            compile_norms(self.model)
        self.denoiser = PackedDenoiser(self.model)
        matrices, others = split_parameters(self.model)
        self.muon = Muon(matrices, lr=config.muon_lr)
        self.adam = torch.optim.AdamW(others, lr=config.adam_lr, weight_decay=0.0, betas=(0.9, 0.95))
        self.step_index = 0
        self.seconds = 0.0
        self._pass: tuple[int, list[Scene]] = (-1, [])
        self.rows_a_pass = len(self._scenes_of(0))
        self.steps = math.ceil(config.passes_over(parts.counts()[0]) * self.rows_a_pass / config.script_rows)

    def progress(self) -> float:
        """0 to 1: of the passes, or of the time where that is over sooner."""
        limit = self.config.minutes
        return max(self.step_index / self.steps, 0.0 if limit is None else self.seconds / (60 * limit))

    def seconds_left(self) -> float:
        """At the rate so far."""
        by_steps = self.seconds / max(1, self.step_index) * (self.steps - self.step_index)
        limit = self.config.minutes
        return max(0.0, by_steps if limit is None else min(by_steps, 60 * limit - self.seconds))

    def state(self) -> dict[str, Any]:
        return {
            "script": self._checksum(),
            "model": self.model.state_dict(),
            "muon": self.muon.state_dict(),
            "adam": self.adam.state_dict(),
            "step_index": self.step_index,
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state; PalaverError if it belongs to another script or base."""
        if state.get("script") != self._checksum():
            raise PalaverError(
                f"{self.config.out} holds a run with other lines, personas, base or settings", "Choose another folder"
            )
        self.model.load_state_dict(state["model"])
        self.muon.load_state_dict(state["muon"])
        self.adam.load_state_dict(state["adam"])
        self.step_index, self.seconds = state["step_index"], state["seconds"]

    def _checksum(self) -> int:
        config = self.config
        facts = (self.parts, (config.base / "bundle.json").read_bytes(), config.rows, config.replay_share, config.seed)
        return zlib.crc32(repr(facts).encode("utf-8"))

    def _scenes_of(self, number: int) -> list[Scene]:
        if self._pass[0] != number:
            rng = random.Random(f"{self.config.seed} {number}")
            drawn = draw_scenes(rng, self.tokenizer, self.parts.training, self.config.row_length)
            self._pass = (number, drawn)
        return self._pass[1]

    def _script_scenes(self) -> list[Scene]:
        """Those of this step; each pass has an order of its own."""
        first = self.step_index * self.config.script_rows
        places = [divmod(place, self.rows_a_pass) for place in range(first, first + self.config.script_rows)]
        # How many rows a pass takes differs a little with its order: one may be left out, or come twice.
        return [(found := self._scenes_of(number))[place % len(found)] for number, place in places]

    def step(self) -> float:
        """Train on one batch; returns the loss of its canvases in nats."""
        started = time.perf_counter()
        config, noise_source = (
            self.config,
            torch.Generator().manual_seed(self.config.seed * 1_000_003 + self.step_index),
        )
        supply = scenes(REPLAY_SEED + self.step_index, exchanges=10)
        replay = [next(supply) for _ in range(config.rows - config.script_rows)]
        rng = random.Random(self.step_index)
        batch = pack(rng, self.tokenizer, self._script_scenes() + replay, config.row_length)
        noise = corrupt(batch, self.tokenizer.get_vocab_size(), noise_source)
        losses = compute_losses(
            self.denoiser, batch, noise, rng.choices(list(Passes), config.passes_weights)[0], noise_source
        )
        self.model.zero_grad()
        losses.total.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        scale = min(1.0, (self.step_index + 1) / config.warmup_steps) * max(0.02, 1 - self.progress())
        for optimizer, rate in ((self.muon, config.muon_lr), (self.adam, config.adam_lr)):
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
        self.step_index += 1
        self.seconds += time.perf_counter() - started
        return losses.canvas


def finetune(run: FinetuneRun) -> None:
    """Train until the passes or the minutes are over; Ctrl-C saves before it ends.

    Raises:
        PalaverError: the folder holds another run.
    """
    config = run.config
    config.out.mkdir(parents=True, exist_ok=True)
    if (state := load_state(config.out)) is not None:
        run.restore(state)
        print(f"going on at batch {run.step_index} of {run.steps}", file=sys.stderr)
    saved_at, told_at, smooth = run.seconds, run.seconds, 0.0
    try:
        while run.progress() < 1:
            loss = run.step()
            smooth = 0.9 * smooth + 0.1 * loss if smooth else loss
            if run.seconds - told_at > config.report_seconds or run.step_index == FIRST_REPORT:
                told_at = run.seconds
                left = run.seconds_left() / 60
                print(
                    f"batch {run.step_index} of {run.steps}  loss {smooth:.3f}  {left:.1f} min left",
                    file=sys.stderr,
                    flush=True,
                )
            if run.seconds - saved_at > 60 * config.save_minutes:
                save_state(config.out, run.state())
                saved_at = run.seconds
    except KeyboardInterrupt:
        print("interrupted: the same command goes on from here", file=sys.stderr)
        raise
    finally:
        save_state(config.out, run.state())
