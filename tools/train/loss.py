"""The training objective: denoise a corrupted canvas, and predict the line's next token from the text."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from torch import Tensor

from tools.train.packing import CANVAS, IGNORED, Batch
from tools.train.pocket import PackedDenoiser

CLEAN_WEIGHT = 0.2  # canvas tokens that were not corrupted
TAIL_WEIGHT = 0.1  # end tokens that fill the canvas behind the line
CAUSAL_WEIGHT = 0.5
MIN_NOISE = 0.02
TEMPERATURES = (0.4, 0.8)  # the schedule of generation, under which self-conditioning is seen


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean negative log-likelihoods in nats: of corrupted and clean canvas tokens, and of the causal text."""

    total: Tensor
    canvas: float
    causal: float


@dataclass(frozen=True, slots=True)
class Noise:
    """A corrupted batch: token ids (int64), where they are noise (bool), and each canvas's share of it (float32)."""

    ids: Tensor
    is_noised: Tensor
    level: Tensor


def corrupt(batch: Batch, vocab_size: int, generator: torch.Generator) -> Noise:
    """Block diffusion's forward process: a share of every canvas, drawn for each, becomes uniform random tokens."""
    rows, length = batch.ids.shape
    branches = int(batch.branch.max()) + 1
    device = batch.ids.device
    of_branch = torch.rand(rows, branches, generator=generator).clamp(min=MIN_NOISE).to(device)
    level = of_branch.gather(1, batch.branch.clamp(min=0))
    is_noised = (torch.rand(rows, length, generator=generator).to(device) < level) & (batch.kind == CANVAS)
    random_ids = torch.randint(0, vocab_size, (rows, length), generator=generator).to(device)
    return Noise(torch.where(is_noised, random_ids, batch.ids), is_noised, level)


def compute_losses(denoiser: PackedDenoiser, batch: Batch, noise: Noise, *, self_conditioning: bool) -> Losses:
    """One forward pass, or two with self-conditioning: the first, without gradient, gives the signal for the second."""
    is_canvas = batch.kind == CANVAS
    mask = batch.mask()
    width = denoiser.decoder.embed_tokens.embedding_dim
    soft = torch.zeros(int(is_canvas.sum()), width, device=batch.ids.device)
    if self_conditioning:
        with torch.no_grad():
            hidden = denoiser.hidden(noise.ids, batch.positions, mask, is_canvas, soft)[is_canvas]
            low, high = TEMPERATURES
            temperature = low + (high - low) * noise.level[is_canvas]
            soft = denoiser.soft_embeddings(denoiser.logits(hidden) / temperature[:, None])
    hidden = denoiser.hidden(noise.ids, batch.positions, mask, is_canvas, soft)

    per_token = F.cross_entropy(denoiser.logits(hidden[is_canvas]), batch.ids[is_canvas], reduction="none")
    weight = torch.where(noise.is_noised, 1.0, CLEAN_WEIGHT) * torch.where(batch.is_tail == 1, TAIL_WEIGHT, 1.0)
    weight = weight[is_canvas]
    canvas = (per_token * weight).sum() / weight.sum()

    is_causal = batch.next_ids != IGNORED
    causal = F.cross_entropy(denoiser.logits(hidden[is_causal]), batch.next_ids[is_causal])
    return Losses(canvas + CAUSAL_WEIGHT * causal, canvas.item(), causal.item())
