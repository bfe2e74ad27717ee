"""As much of what was learned as leaves the old knowledge whole: a point on the line between old and new weights.

After Wortsman et al., "Robust fine-tuning of zero-shot models" (2022): on that line the old task recovers long before
the new one is lost.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from transformers import DiffusionGemmaForBlockDiffusion

from tools.train.bundle_weights import load_pocket_bundle

SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)


def keep_share(
    model: DiffusionGemmaForBlockDiffusion, base: Path, shares: Sequence[float], is_whole: Callable[[], bool]
) -> float:
    """Take as much of the change back as it takes: the weights become base + share * (trained - base).

    Args:
        model: trained; changed in place.
        base: bundle whose weights it started from.
        shares: to try, the largest first.
        is_whole: whether `model`, as it is when called, still knows what the base does.

    Returns:
        The first share with which it does, or else the last.
    """
    before, _ = load_pocket_bundle(base)
    trained = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    for share in shares:
        _mix(model, before, trained, share)
        if is_whole():
            break
    return share


@torch.no_grad()
def _mix(
    model: DiffusionGemmaForBlockDiffusion,
    before: DiffusionGemmaForBlockDiffusion,
    trained: dict[str, torch.Tensor],
    share: float,
) -> None:
    for name, parameter in before.named_parameters():
        model.get_parameter(name).copy_(torch.lerp(parameter, trained[name], share))
