"""Stand-in for a root-mean-square norm that traces to one operator instead of six."""

from typing import Any

import numpy as np
from torch import Tensor, nn

from export.stored import Stored, constant, placeholder


class RmsNorm(nn.Module):
    """`RMSNormalization` over the last axis: x / sqrt(mean(x^2) + eps) * weight, as transformers' module does."""

    def __init__(self, norm: Any, size: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.stored: tuple[Stored, ...] = ()
        if norm.with_scale:
            self.weight = norm.weight
        else:
            # The operator asks for a weight.
            self.weight = placeholder(size)
            self.stored = (constant("weight", np.ones(size, dtype=np.float32)),)

    def forward(self, values: Tensor) -> Tensor:
        return nn.functional.rms_norm(values, self.weight.shape, self.weight, self.eps)
