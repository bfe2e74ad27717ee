"""The training objective: denoise a corrupted canvas, and predict the line's next token from the text."""

from dataclasses import dataclass
from enum import Enum

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from torch import Tensor

from tools.train.packing import CANVAS, IGNORED, Batch
from tools.train.pocket import PackedDenoiser
from tools.train.rollout import roll_out

CLEAN_WEIGHT = 0.2  # canvas tokens that are right already
TAIL_WEIGHT = 0.1  # end tokens that fill the canvas behind the line
COPIED_WEIGHT = 3.0  # what had to be found in the prompt: a fifth of the tokens, and the hard part
CAUSAL_WEIGHT = 0.5
MIN_NOISE = 0.02
BLOCKS_SHARE = 0.25  # canvases whose noise comes in runs, as the gaps of a template do
LONGEST_BLOCK = 6
# Those of generation, under which self-conditioning and the model's own mistakes are seen.
TEMPERATURES = (0.4, 0.8)
ENTROPY_BOUND = 0.1


@dataclass(frozen=True, slots=True)
class Losses:
    """Weighted mean negative log-likelihoods in nats: of corrupted and clean canvas tokens, and of the causal text."""

    total: Tensor
    canvas: float
    causal: float


class Passes(Enum):
    """How the tokens come about that the losses are computed on.

    ONE: noise, as on the first step of generation. CONDITIONED: the same noise, with the self-conditioning that a first
    pass gives. ROLLED_OUT: what the sampler makes of the noise after a first pass, mistakes and all, with its signal.
    """

    ONE = "one"
    CONDITIONED = "conditioned"
    ROLLED_OUT = "rolled out"


@dataclass(frozen=True, slots=True)
class Noise:
    """A corrupted batch: token ids (int64 [rows, length]) and each canvas's share of noise (float32, same shape)."""

    ids: Tensor
    level: Tensor


def corrupt(batch: Batch, vocab_size: int, generator: torch.Generator) -> Noise:
    """Block diffusion's forward process: a share of every canvas, drawn for each, becomes uniform random tokens.

    In some canvases the positions fall together in runs of one length, so that what stays looks like pinned words.
    """
    rows, length = batch.ids.shape
    branches = int(batch.branch.max()) + 1
    device = batch.ids.device
    branch = batch.branch.clamp(min=0)
    of_branch = torch.rand(rows, branches, generator=generator).clamp(min=MIN_NOISE).to(device)
    level = of_branch.gather(1, branch)
    block = torch.randint(2, LONGEST_BLOCK + 1, (rows, branches), generator=generator)
    block = torch.where(torch.rand(rows, branches, generator=generator) < BLOCKS_SHARE, block, 1).to(device)
    run = (batch.positions + branch) // block.gather(1, branch)
    draws = torch.rand(rows, branches, int(run.max()) + 1, generator=generator).to(device)
    draw = draws[torch.arange(rows, device=device)[:, None], branch, run]
    is_noised = (draw < level) & (batch.kind == CANVAS)
    random_ids = torch.randint(0, vocab_size, (rows, length), generator=generator).to(device)
    return Noise(torch.where(is_noised, random_ids, batch.ids), level)


def compute_losses(
    denoiser: PackedDenoiser, batch: Batch, noise: Noise, passes: Passes, generator: torch.Generator
) -> Losses:
    """Losses of a batch; see `Passes` for what comes before the pass that they are computed from."""
    is_canvas = batch.kind == CANVAS
    mask = batch.mask()
    ids = noise.ids
    width = denoiser.decoder.embed_tokens.embedding_dim
    soft = torch.zeros(int(is_canvas.sum()), width, device=ids.device)
    if passes is not Passes.ONE:
        with torch.no_grad():
            hidden = denoiser.hidden(ids, batch.positions, mask, is_canvas, soft)[is_canvas]
            low, high = TEMPERATURES
            temperature = low + (high - low) * noise.level[is_canvas]
            logits = denoiser.logits(hidden) / temperature[:, None]
            soft = denoiser.soft_embeddings(logits)
            if passes is Passes.ROLLED_OUT:
                ids = ids.clone()
                ids[is_canvas] = roll_out(logits, _canvas_numbers(batch)[is_canvas], ENTROPY_BOUND, generator)
    hidden = denoiser.hidden(ids, batch.positions, mask, is_canvas, soft)

    target = batch.ids[is_canvas]
    per_token = F.cross_entropy(denoiser.logits(hidden[is_canvas]), target, reduction="none")
    weight = torch.where(ids[is_canvas] != target, 1.0, CLEAN_WEIGHT)
    weight = weight * torch.where(batch.is_tail[is_canvas] == 1, TAIL_WEIGHT, 1.0)
    weight = weight * torch.where(batch.copied[is_canvas] == 1, COPIED_WEIGHT, 1.0)
    canvas = (per_token * weight).sum() / weight.sum()

    is_causal = batch.next_ids != IGNORED
    per_token = F.cross_entropy(denoiser.logits(hidden[is_causal]), batch.next_ids[is_causal], reduction="none")
    weight = torch.where(batch.copied[is_causal] == 1, COPIED_WEIGHT, 1.0)
    causal = (per_token * weight).sum() / weight.sum()
    return Losses(canvas + CAUSAL_WEIGHT * causal, canvas.item(), causal.item())


def _canvas_numbers(batch: Batch) -> Tensor:
    """A number for each canvas of the batch, int64 [rows, length]; meaningless outside of canvases."""
    rows = torch.arange(batch.ids.shape[0], device=batch.ids.device)[:, None]
    return rows * (int(batch.branch.max()) + 1) + batch.branch
