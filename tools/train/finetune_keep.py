"""As much of what was learned as leaves the old knowledge whole: a point on the line between old and new weights."""

from collections.abc import Callable, Sequence
from pathlib import Path

from transformers import DiffusionGemmaForBlockDiffusion

from tools.train.weight_line import WeightLine

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
    line = WeightLine(model, base)
    for share in shares:
        line.go_to(share)
        if is_whole():
            break
    return share
