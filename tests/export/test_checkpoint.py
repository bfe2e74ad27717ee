"""Checkpoints in the forms that they come in."""

import json

import pytest
import torch

from export.checkpoint import load_model, open_checkpoint
from tests.checkpoints import CHAT_TEMPLATE, random_model, tiny_config


def assert_same_text_model(found, expected):
    weights, wanted = found.model.decoder.state_dict(), expected.model.decoder.state_dict()
    assert all(torch.equal(weights[name], wanted[name]) for name in wanted)
    for layer, other in zip(
        found.model.encoder.language_model.layers, expected.model.encoder.language_model.layers, strict=True
    ):
        assert torch.equal(layer.layer_scalar, other.layer_scalar)


@pytest.fixture(scope="module")
def original():
    return random_model(tiny_config())


def test_one_file(checkpoint, original):
    assert_same_text_model(load_model(open_checkpoint(checkpoint.path)), original)


def test_shards_with_an_index(checkpoint, original):
    (checkpoint.path / "model.safetensors").unlink()
    original.save_pretrained(checkpoint.path, max_shard_size="200KB")
    (checkpoint.path / "generation_config.json").write_text("{}", encoding="utf-8")
    assert len(list(checkpoint.path.glob("model-*.safetensors"))) > 1
    assert_same_text_model(load_model(open_checkpoint(checkpoint.path)), original)


def test_without_vision_weights(checkpoint, original):
    def drop_vision(tensors):
        for name in [name for name in tensors if "vision" in name]:
            del tensors[name]

    checkpoint.edit_tensors(drop_vision)
    assert_same_text_model(load_model(open_checkpoint(checkpoint.path)), original)


def test_the_chat_template_may_lie_in_the_tokenizer_config(checkpoint):
    (checkpoint.path / "chat_template.jinja").unlink()
    checkpoint.edit_json("tokenizer_config.json", lambda config: config.update(chat_template=CHAT_TEMPLATE))
    assert open_checkpoint(checkpoint.path).text.chat_template == CHAT_TEMPLATE
    named = [{"name": "tools", "template": "{{ tools }}"}, {"name": "default", "template": CHAT_TEMPLATE}]
    checkpoint.edit_json("tokenizer_config.json", lambda config: config.update(chat_template=named))
    assert open_checkpoint(checkpoint.path).text.chat_template == CHAT_TEMPLATE


def test_the_begin_token_may_be_known_by_its_id_only(checkpoint):
    (checkpoint.path / "tokenizer_config.json").unlink()
    assert open_checkpoint(checkpoint.path).text.tokens.bos == "<bos>"


def test_settings_left_open_are_those_of_transformers(checkpoint, original):
    nothing = json.dumps({"t_min": None, "eos_token_id": None, "max_denoising_steps": None})
    (checkpoint.path / "generation_config.json").write_text(nothing, encoding="utf-8")
    found = open_checkpoint(checkpoint.path).generation
    defaults = original.generation_config._get_default_generation_params()
    assert found.entropy_bound == defaults.pop("sampler_config").entropy_bound
    assert {name: getattr(found, name) for name in defaults} == defaults
    assert (found.eos_token_ids, found.pad_token_id) == ((1,), 0)


def test_every_end_token_is_kept(checkpoint):
    checkpoint.edit_json("generation_config.json", lambda config: config.update(eos_token_id=[1, 106, 50]))
    assert open_checkpoint(checkpoint.path).generation.eos_token_ids == (1, 106, 50)
    checkpoint.edit_json("generation_config.json", lambda config: config.update(eos_token_id=3))
    assert open_checkpoint(checkpoint.path).generation.eos_token_ids == (3,)


def test_the_revision_follows_config_and_headers(checkpoint):
    first = open_checkpoint(checkpoint.path).revision
    assert open_checkpoint(checkpoint.path).revision == first
    checkpoint.edit_json("config.json", lambda config: config.update(initializer_range=0.03))
    assert open_checkpoint(checkpoint.path).revision != first
