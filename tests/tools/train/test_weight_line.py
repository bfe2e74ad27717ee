"""Between old weights and new ones: the ends are what they were, and every point can be left again."""

import torch

from runtime.pocket import POCKET_MODEL
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.weight_line import WeightLine

NORM = "model.decoder.norm.weight"


def test_points_of_the_line_in_any_order():
    model, _ = load_pocket_bundle(POCKET_MODEL)
    weight = model.get_parameter(NORM)
    before = weight.detach().clone()
    with torch.no_grad():
        weight.add_(1)
    line = WeightLine(model, POCKET_MODEL)
    for share in (0.5, 0.0, 1.0, 0.25):
        line.go_to(share)
        torch.testing.assert_close(weight.detach(), before + share)
