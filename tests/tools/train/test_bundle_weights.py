"""A bundle's weights, read back into transformers' model, are those that the bundle computes with."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from transformers import DiffusionGemmaForBlockDiffusion

from export.checkpoint import load_model, open_checkpoint
from export.config import ExportOptions
from export.pipeline import export_checkpoint
from export.stored_weights import use_stored_weights
from runtime.bundle import load_bundle
from runtime.errors import BundleError
from runtime.pocket import POCKET_MODEL
from tests.checkpoints import tiny_config
from tools.train.bundle_weights import fill, load_pocket_bundle, stored_arrays

STORED = {
    "the pocket model's way": {"experts": "int4", "linear": "int8"},
    "four bits with zero points, in slices": {"experts": "int4", "linear": "int4", "asymmetric": True, "slices": 2},
    "experts in full precision": {"experts": "fp32", "linear": "int8"},
}


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
def test_every_weight_is_what_the_bundle_stores(tiny_checkpoint, tmp_path, stored):
    options = ExportOptions(tiny_checkpoint, tmp_path / "bundle", **stored)
    export_checkpoint(options)
    expected = load_model(open_checkpoint(tiny_checkpoint))
    use_stored_weights(expected, options)

    model = DiffusionGemmaForBlockDiffusion(tiny_config())
    fill(model, stored_arrays(options.out, tuple(load_bundle(options.out).graphs)), options.block_size, options.out)
    for layer in (*expected.model.decoder.layers, *model.model.decoder.layers):
        # In full precision the bundle has them in the experts too, and the expectation does not.
        scale = layer.router.per_expert_scale
        with torch.no_grad():
            layer.experts.down_proj.mul_(scale[:, None, None])
            scale.fill_(1.0)
    for name, parameter in expected.model.decoder.named_parameters():
        torch.testing.assert_close(model.model.decoder.get_parameter(name), parameter, rtol=1e-6, atol=1e-7)


def test_the_pocket_model_is_one(tmp_path):
    model, tokenizer = load_pocket_bundle(POCKET_MODEL)
    encoder, decoder = model.model.encoder.language_model, model.model.decoder
    assert encoder.layers[0].mlp.up_proj.weight is decoder.layers[0].mlp.up_proj.weight
    assert tokenizer.get_vocab_size() == decoder.embed_tokens.weight.shape[0]


def test_another_model_is_refused(tiny_bundle):
    with pytest.raises(BundleError, match="not made from a pocket model of this version: its geometry"):
        load_pocket_bundle(tiny_bundle)


def test_a_bundle_that_is_damaged_is_refused(tmp_path):
    folder = Path(shutil.copytree(POCKET_MODEL, tmp_path / "pocket"))
    manifest = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    manifest["files"]["step.onnx"]["sha256"] = "0" * 64
    (folder / "bundle.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(BundleError, match="does not match its SHA-256 sum"):
        load_pocket_bundle(folder)
