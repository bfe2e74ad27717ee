"""How much of a change is kept: as much as the old knowledge bears."""

import pytest
import torch

from runtime.pocket import POCKET_MODEL
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.finetune_keep import SHARES, keep_share

NORM = "model.decoder.norm.weight"


@pytest.fixture
def changed():
    """A model with one weight that is larger by one, that weight, and what it was."""
    model, _ = load_pocket_bundle(POCKET_MODEL)
    weight = model.get_parameter(NORM)
    before = weight.detach().clone()
    with torch.no_grad():
        weight.add_(1)
    return model, weight, before


@pytest.mark.parametrize("largest", SHARES)
def test_the_largest_share_that_hurts_nothing_is_kept(changed, largest):
    model, weight, before = changed
    share = keep_share(model, POCKET_MODEL, SHARES, lambda: bool((weight - before < largest + 1e-3).all()))
    assert share == largest
    torch.testing.assert_close(weight.detach(), before + largest)


def test_where_every_share_hurts_the_smallest_is_kept(changed):
    model, weight, before = changed
    assert keep_share(model, POCKET_MODEL, SHARES, lambda: False) == SHARES[-1]
    torch.testing.assert_close(weight.detach(), before + SHARES[-1])
