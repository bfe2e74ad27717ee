"""How much of a change is kept: as much as the old knowledge bears."""

import pytest
import torch

from runtime.pocket import POCKET_MODEL
from tools.train import finetune_keep
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.finetune_keep import SHARES, keep_share

NORM = "model.decoder.norm.weight"
ROW = 300


@pytest.fixture(autouse=True)
def few_scenes(monkeypatch):
    monkeypatch.setattr(finetune_keep, "SCENES", 2)


@pytest.fixture
def pocket():
    return load_pocket_bundle(POCKET_MODEL)


def test_what_hurts_nothing_is_kept_whole(pocket):
    model, tokenizer = pocket
    assert keep_share(model, POCKET_MODEL, tokenizer, ROW, None) == 1


@torch.no_grad()
def test_what_destroys_the_old_is_taken_back_as_far_as_may_be(pocket):
    model, tokenizer = pocket
    weight = model.get_parameter(NORM)
    before = weight.clone()
    weight.mul_(-1)
    assert keep_share(model, POCKET_MODEL, tokenizer, ROW, None) == SHARES[-1]
    torch.testing.assert_close(weight, 0.8 * before)


@torch.no_grad()
def test_a_share_may_be_given(pocket):
    model, tokenizer = pocket
    weight = model.get_parameter(NORM)
    before = weight.clone()
    weight.add_(1)
    assert keep_share(model, POCKET_MODEL, tokenizer, ROW, 0.25) == 0.25
    torch.testing.assert_close(weight, before + 0.25)
