"""Stand-in for a root-mean-square norm that traces to one operator instead of six."""

from typing import Any

import torch
from torch import Tensor, nn


class RmsNorm(nn.Module):
    """`RMSNormalization` over the last axis: x / sqrt(mean(x^2) + eps) * weight, as transformers' module does."""

    def __init__(self, norm: Any, size: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        # A norm without a weight gets ones: the operator asks for one.
        self.weight = norm.weight if norm.with_scale else nn.Buffer(torch.ones(size))

    def forward(self, values: Tensor) -> Tensor:
        return nn.functional.rms_norm(values, self.weight.shape, self.weight, self.eps)
