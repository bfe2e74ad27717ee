"""As much of what was learned as leaves the old knowledge whole: a point on the line between old and new weights.

After Wortsman et al., "Robust fine-tuning of zero-shot models" (2022): on that line the old task recovers long before
the new one is lost.
"""

import itertools
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import DiffusionGemmaForBlockDiffusion

from tools.train.bundle_weights import load_pocket_bundle
from tools.train.corpus import Scene, scenes
from tools.train.finetune_eval import noised_loss
from tools.train.pocket import PackedDenoiser

SCENES = 48
NOISE_DRAWS = 2
TOLERANCE = 0.005  # by which the corpus may become less likely, relative to its loss before
SHARES = tuple(tenths / 10 for tenths in range(10, 0, -1))
_SEED = 9_000_011  # neither training nor evaluation draws from it


def keep_share(
    model: DiffusionGemmaForBlockDiffusion, base: Path, tokenizer: Tokenizer, row_length: int, share: float | None
) -> float:
    """Take a part of the change back: the weights become base + share * (trained - base).

    Args:
        model: trained; changed in place.
        base: bundle whose weights it started from.
        share: 0 to 1; None for the largest that leaves the corpus as likely as it was.

    Returns:
        The share.
    """
    before, _ = load_pocket_bundle(base)
    trained = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    if share is None:
        supply = scenes(_SEED, exchanges=6)
        corpus = list(itertools.islice(supply, SCENES))
        limit = (1 + TOLERANCE) * _loss(before, tokenizer, corpus, row_length)
        for share in SHARES:
            _mix(model, before, trained, share)
            if share == SHARES[-1] or _loss(model, tokenizer, corpus, row_length) <= limit:
                return share
    assert share is not None
    _mix(model, before, trained, share)
    return share


def _loss(model: DiffusionGemmaForBlockDiffusion, tokenizer: Tokenizer, corpus: list[Scene], row_length: int) -> float:
    return float(noised_loss(PackedDenoiser(model), tokenizer, corpus, row_length, draws=NOISE_DRAWS))


@torch.no_grad()
def _mix(
    model: DiffusionGemmaForBlockDiffusion,
    before: DiffusionGemmaForBlockDiffusion,
    trained: dict[str, torch.Tensor],
    share: float,
) -> None:
    for name, parameter in before.named_parameters():
        model.get_parameter(name).copy_(torch.lerp(parameter, trained[name], share))
