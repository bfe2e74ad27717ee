"""Muon: momentum whose matrix updates are made orthogonal by a few Newton-Schulz iterations.

After Keller Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024); the quintic coefficients
are theirs. Stacks of matrices (experts) are handled as a batch.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

_A, _B, _C = 3.4445, -4.7750, 2.0315


def orthogonalised(matrix: Tensor, steps: int = 5) -> Tensor:
    """The matrix (or stack [..., rows, columns]) with its singular values pushed to about one."""
    x = matrix / (matrix.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    is_tall = x.shape[-2] > x.shape[-1]
    if is_tall:
        x = x.mT
    for _ in range(steps):
        gram = x @ x.mT
        x = _A * x + (_B * gram + _C * gram @ gram) @ x
    return x.mT if is_tall else x


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum and decoupled weight decay, for parameters of two or more dimensions."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], lr: float, momentum: float = 0.95, weight_decay: float = 0.01
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                velocity = state.setdefault("velocity", torch.zeros_like(parameter))
                velocity.mul_(group["momentum"]).add_(parameter.grad)
                update = orthogonalised(parameter.grad + group["momentum"] * velocity)
                shape_scale = max(1.0, parameter.shape[-2] / parameter.shape[-1]) ** 0.5
                parameter.mul_(1 - group["lr"] * group["weight_decay"]).add_(update, alpha=-group["lr"] * shape_scale)
