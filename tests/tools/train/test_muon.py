"""Muon's update is close to an orthogonal matrix, whatever the shape and scale of the gradient."""

import pytest
import torch

from tools.train.muon import Muon, orthogonalised


@pytest.mark.parametrize("shape", [(24, 24), (16, 48), (48, 16), (3, 16, 32)])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_singular_values_are_pushed_to_about_one(shape: tuple[int, ...], scale: float) -> None:
    matrix = scale * torch.randn(shape, generator=torch.Generator().manual_seed(0))
    values = torch.linalg.svdvals(orthogonalised(matrix))
    assert values.max() < 1.4
    assert values.median() > 0.6


def test_a_step_goes_against_the_gradient() -> None:
    parameter = torch.nn.Parameter(torch.zeros(8, 8))
    parameter.grad = torch.eye(8)
    Muon([parameter], lr=0.1).step()
    assert (parameter.diagonal() < 0).all()
