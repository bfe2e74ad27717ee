"""The training run: batches, two optimizers, a schedule over wall-clock time, checkpoints."""

import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import DiffusionGemmaForBlockDiffusion

from runtime.errors import RequestError
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.checkpoint import append_log, load_state, save_checkpoint, save_state
from tools.train.corpus import scenes
from tools.train.loss import Passes, compute_losses, corrupt
from tools.train.muon import Muon
from tools.train.packing import PADDING, Batch, pack
from tools.train.pocket import PackedDenoiser, build_pocket, compile_norms, prepare_for_training
from tools.train.tokenizer import train_tokenizer
from tools.train.weight_line import WeightLine

CORPUS_SEED = 1  # evaluation draws from other seeds and from held-out names


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """One run.

    Attributes:
        minutes: length of the whole run, interruptions not counted; the learning rates follow it.
        out: folder of the checkpoint; a run found there is continued.
        base: bundle of a pocket model whose weights and tokenizer are the start; None to start afresh.
        kept_share: of the change from `base`, how much the checkpoint of a whole run has; between 0 and 1.
        rows, row_length: a batch is rows x row_length tokens.
        vocab_size: tokens of the tokenizer that is trained where there is no base.
        muon_lr: learning rate of the matrices.
        adam_lr: learning rate of embeddings, norms, routers.
        warmup_steps: batches over which the learning rates rise.
        decay_share: last part of the run, over which they fall to a fiftieth.
        passes_weights: relative frequency of batches of each kind in `Passes`, in its order.
        save_minutes: time between checkpoints.
        threads: CPU threads of torch.
        device: "cpu" or "cuda".
        compile_norms: let torch compile the norms, which needs a C++ compiler: a sixth faster on a CPU.
        seed: seed of the weights and of the noise.
    """

    minutes: float
    out: Path
    base: Path | None = None
    kept_share: float = 1.0
    rows: int = 16
    row_length: int = 480
    vocab_size: int = 2048
    muon_lr: float = 0.02
    adam_lr: float = 3e-3
    warmup_steps: int = 50
    decay_share: float = 0.3
    passes_weights: tuple[float, ...] = (0.4, 0.25, 0.35)
    save_minutes: float = 5.0
    threads: int = 2
    device: str = "cpu"
    compile_norms: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.kept_share <= 1:
            raise RequestError(f"kept_share is {self.kept_share}", "Give a number above 0, up to 1")
        if self.kept_share < 1 and self.base is None:
            raise RequestError("kept_share needs a base", "Name the bundle to start from, or keep all of the change")

    def learning_rate_scale(self, step: int, seconds: float) -> float:
        """Factor on both learning rates: linear warm-up by steps, constant, linear decay by time."""
        remaining = 1 - seconds / (60 * self.minutes)
        return min(1.0, (step + 1) / self.warmup_steps) * min(1.0, max(0.02, remaining / self.decay_share))


class TrainingRun:
    """Model, optimizers and progress of one run; `state()` and `restore()` carry it over an interruption."""

    def __init__(self, config: TrainingConfig) -> None:
        self.config = config
        if config.base is None:
            self.tokenizer = train_tokenizer(config.vocab_size, CORPUS_SEED)
            model = build_pocket(config.vocab_size, config.seed)
        else:
            model, self.tokenizer = load_pocket_bundle(config.base)
            prepare_for_training(model, fresh=False)
        self.model = model.to(config.device)
        if config.compile_norms:
            compile_norms(self.model)
        self.denoiser = PackedDenoiser(self.model)
        matrices, others = split_parameters(self.model)
        self.muon = Muon(matrices, lr=config.muon_lr)
        self.adam = torch.optim.AdamW(others, lr=config.adam_lr, weight_decay=0.0, betas=(0.9, 0.95))
        self.step_index = 0
        self.seconds = 0.0
        self.tokens = 0

    def state(self) -> dict[str, Any]:
        return {
            "tokenizer": self.tokenizer.to_str(),
            "model": self.model.state_dict(),
            "muon": self.muon.state_dict(),
            "adam": self.adam.state_dict(),
            "step_index": self.step_index,
            "seconds": self.seconds,
            "tokens": self.tokens,
        }

    def restore(self, state: dict[str, Any]) -> None:
        # Not trained anew: the corpus may have changed since, and the weights know these tokens only.
        self.tokenizer = Tokenizer.from_str(state["tokenizer"])
        self.model.load_state_dict(state["model"])
        self.muon.load_state_dict(state["muon"])
        self.adam.load_state_dict(state["adam"])
        self.step_index, self.seconds, self.tokens = state["step_index"], state["seconds"], state["tokens"]

    def batch(self) -> Batch:
        """The batch of this step: a function of the step alone, so that a continued run sees no scene twice."""
        seed = CORPUS_SEED * 1_000_003 + self.step_index
        supply = scenes(seed, exchanges=10)
        drawn = [next(supply) for _ in range(self.config.rows)]
        return pack(random.Random(seed), self.tokenizer, drawn, self.config.row_length).to(self.config.device)

    def step(self) -> dict[str, float]:
        """Train on one batch; returns what the log wants."""
        started = time.perf_counter()
        noise_source = torch.Generator().manual_seed(self.step_index)
        batch = self.batch()
        noise = corrupt(batch, self.tokenizer.get_vocab_size(), noise_source)
        passes = random.Random(self.step_index).choices(list(Passes), self.config.passes_weights)[0]
        losses = compute_losses(self.denoiser, batch, noise, passes, noise_source)
        self.model.zero_grad()
        losses.total.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        scale = self.config.learning_rate_scale(self.step_index, self.seconds)
        for optimizer, rate in ((self.muon, self.config.muon_lr), (self.adam, self.config.adam_lr)):
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
        self.step_index += 1
        self.tokens += int((batch.kind != PADDING).sum())
        self.seconds += time.perf_counter() - started
        return {"canvas": losses.canvas, "causal": losses.causal, "scale": scale}


def split_parameters(model: DiffusionGemmaForBlockDiffusion) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Trainable parameters as (matrices for Muon, everything else for AdamW); tied ones once."""
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            is_matrix = parameter.ndim >= 2 and not any(part in name for part in ("embed_tokens", "lm_head", "router"))
            (matrices if is_matrix else others).append(parameter)
    return matrices, others


def train(config: TrainingConfig) -> None:
    """Run until `config.minutes` are used up, going on from an earlier run in the same folder.

    Ctrl-C saves before it ends.
    """
    torch.set_num_threads(config.threads)
    config.out.mkdir(parents=True, exist_ok=True)
    run = TrainingRun(config)
    if (state := load_state(config.out)) is not None:
        run.restore(state)
        print(f"continuing at batch {run.step_index}, minute {run.seconds / 60:.1f}", file=sys.stderr)
    saved_at = run.seconds
    smooth: dict[str, float] = {}
    try:
        while run.seconds < 60 * config.minutes:
            for key, value in run.step().items():
                smooth[key] = value if key == "scale" else 0.97 * smooth.get(key, value) + 0.03 * value
            if run.step_index % 50 == 0:
                _report(config, run, smooth)
            if run.seconds - saved_at > 60 * config.save_minutes:
                save_state(config.out, run.state())
                saved_at = run.seconds
    finally:
        save_state(config.out, run.state())
        save_checkpoint(run.model, run.tokenizer, config.out)
    if config.base is not None and config.kept_share < 1:
        # Behind the state, which has to stay what training made of it.
        WeightLine(run.model, config.base).go_to(config.kept_share)
        save_checkpoint(run.model, run.tokenizer, config.out)
    print(f"done: {run.step_index} batches, {run.tokens / 1e6:.1f} M tokens, {config.out}", file=sys.stderr)


def _report(config: TrainingConfig, run: TrainingRun, smooth: dict[str, float]) -> None:
    left = max(0.0, config.minutes - run.seconds / 60)
    rate = run.tokens / run.seconds
    print(
        f"batch {run.step_index}  canvas loss {smooth['canvas']:.3f}  causal loss {smooth['causal']:.3f}  "
        f"{rate:.0f} tokens/s  {left:.1f} min left",
        file=sys.stderr,
        flush=True,
    )
    append_log(config.out, {"batch": run.step_index, "seconds": round(run.seconds, 1), "tokens": run.tokens, **smooth})
