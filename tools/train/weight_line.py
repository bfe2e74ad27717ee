"""The line between the weights that a training started from and those that it ended with.

After Wortsman et al., "Robust fine-tuning of zero-shot models" (2022): on that line the old task recovers long before
the new one is lost.
"""

from pathlib import Path

import torch
from transformers import DiffusionGemmaForBlockDiffusion

from tools.train.bundle_weights import load_pocket_bundle


class WeightLine:
    """The points base + share * (trained - base).

    Args:
        model: trained; `go_to` changes it in place.
        base: bundle whose weights it started from.

    Raises:
        BundleError: `base` cannot be loaded, or is of another model than this version trains.
    """

    def __init__(self, model: DiffusionGemmaForBlockDiffusion, base: Path) -> None:
        self._model = model
        self._before, _ = load_pocket_bundle(base)
        self._trained = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}

    @torch.no_grad()
    def go_to(self, share: float) -> None:
        """Give the model the weights at `share`: 0 is the base, 1 what was trained."""
        for name, parameter in self._before.named_parameters():
            trained = self._trained[name]
            self._model.get_parameter(name).copy_(torch.lerp(parameter.to(trained.device), trained, share))
