"""Checkpoints that cannot be exported: one line that names the file or tensor and what to do, and nothing written."""

import json

import pytest
import torch


def test_a_folder_that_is_not_there(tmp_path, refused):
    assert "is not a folder" in refused(tmp_path / "nowhere")


def test_an_empty_folder(tmp_path, refused):
    (tmp_path / "empty").mkdir()
    assert "config.json is missing" in refused(tmp_path / "empty")


@pytest.mark.parametrize("model_type", ["gemma4", None])
def test_another_model_type(checkpoint, refused, model_type):
    checkpoint.edit_json("config.json", lambda config: config.update(model_type=model_type))
    error = refused(checkpoint.path)
    assert f'config.json has model_type "{model_type}"' in error
    assert "diffusion_gemma" in error


def test_broken_config(checkpoint, refused):
    (checkpoint.path / "config.json").write_text('{"model_type": "diffusion_gemma"', encoding="utf-8")
    assert "config.json is not valid JSON" in refused(checkpoint.path)


def test_a_config_with_a_value_of_the_wrong_kind(checkpoint, refused):
    checkpoint.edit_json("config.json", lambda config: config["text_config"].update(hidden_size="wide"))
    assert "config.json is not a valid diffusion_gemma config" in refused(checkpoint.path)


def test_a_quantised_checkpoint(checkpoint, refused):
    checkpoint.edit_json("config.json", lambda config: config.update(quantization_config={"quant_method": "modelopt"}))
    assert "config.json has a quantization_config" in refused(checkpoint.path)


def test_untied_weights(checkpoint, refused):
    checkpoint.edit_json("config.json", lambda config: config.update(tie_word_embeddings=False))
    assert "tie_word_embeddings" in refused(checkpoint.path)


def test_an_encoder_that_is_not_causal(checkpoint, refused):
    checkpoint.edit_json("config.json", lambda config: config["text_config"].update(use_bidirectional_attention="all"))
    assert "use_bidirectional_attention" in refused(checkpoint.path)


def test_rotary_embeddings_that_depend_on_the_length(checkpoint, refused):
    def change(config):
        rope = config["text_config"]["rope_parameters"]["full_attention"]
        rope.update(rope_type="dynamic", factor=2.0)

    checkpoint.edit_json("config.json", change)
    assert 'rope_type "dynamic" of full_attention' in refused(checkpoint.path)


def test_an_activation_without_an_exact_lowering(checkpoint, refused):
    checkpoint.edit_json("config.json", lambda config: config["text_config"].update(hidden_activation="gelu"))
    error = refused(checkpoint.path, "--experts", "fp32")
    assert 'hidden_activation "gelu"' in error and "silu" in error


def test_a_missing_tensor(checkpoint, refused):
    name = "model.decoder.layers.1.router.per_expert_scale"
    checkpoint.edit_tensors(lambda tensors: tensors.pop(name))
    assert f"tensor {name} is missing" in refused(checkpoint.path)


def test_a_missing_encoder_scalar(checkpoint, refused):
    """The only tensor of the encoder that is its own; transformers would go on with a scalar of 1."""
    name = "model.encoder.language_model.layers.0.layer_scalar"
    checkpoint.edit_tensors(lambda tensors: tensors.pop(name))
    assert f"tensor {name} is missing" in refused(checkpoint.path)


def test_many_missing_tensors_are_counted(checkpoint, refused):
    def change(tensors):
        for name in [name for name in tensors if ".layers.1." in name]:
            del tensors[name]

    checkpoint.edit_tensors(change)
    assert "more are missing" in refused(checkpoint.path)


def test_a_tensor_that_nobody_uses(checkpoint, refused):
    name = "model.decoder.layers.0.self_attn.q_proj.bias"
    checkpoint.edit_tensors(lambda tensors: tensors.update({name: torch.zeros(64)}))
    assert f"tensor {name} in model.safetensors is used by no part" in refused(checkpoint.path)


def test_a_tensor_of_another_shape(checkpoint, refused):
    name = "model.decoder.layers.0.mlp.up_proj.weight"
    checkpoint.edit_tensors(lambda tensors: tensors.update({name: torch.zeros(96, 63)}))
    error = refused(checkpoint.path)
    assert f"tensor {name} in model.safetensors has shape [96, 63] instead of [96, 64]" in error


def test_a_tensor_that_is_not_a_plain_float(checkpoint, refused):
    name = "model.decoder.layers.0.experts.down_proj"
    checkpoint.edit_tensors(lambda tensors: tensors.update({name: torch.zeros(8, 64, 64, dtype=torch.uint8)}))
    assert f"tensor {name} in model.safetensors has type U8" in refused(checkpoint.path)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["experts.gate_up_proj", "self_attn.q_proj.weight", "input_layernorm.weight"])
def test_a_number_that_is_not_finite(checkpoint, refused, name, number):
    full = f"model.decoder.layers.1.{name}"
    checkpoint.edit_tensors(lambda tensors: tensors[full].view(-1)[-1:].fill_(number))
    assert f"tensor {full} in model.safetensors holds a number that is not finite" in refused(checkpoint.path)


@pytest.mark.parametrize("kept", [0, 5, 100, -1])
def test_truncated_weights(checkpoint, refused, kept):
    file = checkpoint.path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    error = refused(checkpoint.path)
    assert "model.safetensors" in error and "again" in error


def test_a_damaged_header(checkpoint, refused):
    file = checkpoint.path / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[8:20] = b"\xff" * 12
    file.write_bytes(content)
    assert "model.safetensors has a damaged header" in refused(checkpoint.path)


def test_no_weights(checkpoint, refused):
    (checkpoint.path / "model.safetensors").unlink()
    assert "neither model.safetensors nor model.safetensors.index.json" in refused(checkpoint.path)


def test_a_shard_that_is_not_there(checkpoint, refused):
    index = {"weight_map": {"model.decoder.norm.weight": "model-00001-of-00002.safetensors"}}
    (checkpoint.path / "model.safetensors").unlink()
    (checkpoint.path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert "model-00001-of-00002.safetensors" in refused(checkpoint.path)


@pytest.mark.parametrize("name", ["tokenizer.json", "generation_config.json"])
def test_a_missing_file(checkpoint, refused, name):
    (checkpoint.path / name).unlink()
    assert f"{name} is missing" in refused(checkpoint.path)


def test_a_broken_tokenizer(checkpoint, refused):
    (checkpoint.path / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert "tokenizer.json cannot be used" in refused(checkpoint.path)


def test_a_tokenizer_with_more_tokens_than_the_model(checkpoint, refused):
    from tokenizers import Tokenizer

    file = str(checkpoint.path / "tokenizer.json")
    tokenizer = Tokenizer.from_file(file)
    tokenizer.add_tokens([f"extra{number}" for number in range(9)])
    tokenizer.save(file)
    assert "vocab_size in config.json is 320" in refused(checkpoint.path)


def test_no_chat_template(checkpoint, refused):
    (checkpoint.path / "chat_template.jinja").unlink()
    assert "no chat template" in refused(checkpoint.path)


def test_a_chat_template_that_is_not_jinja(checkpoint, refused):
    (checkpoint.path / "chat_template.jinja").write_text("{% for %}", encoding="utf-8")
    assert "chat_template.jinja fails" in refused(checkpoint.path)


def test_an_unknown_begin_token(checkpoint, refused):
    checkpoint.edit_json("tokenizer_config.json", lambda config: config.update(bos_token="<start>"))
    assert "'<start>' is not in tokenizer.json" in refused(checkpoint.path)


def test_another_sampler(checkpoint, refused):
    def change(config):
        config["sampler_config"] = {"_cls_name": "ConfidenceSamplerConfig"}

    checkpoint.edit_json("generation_config.json", change)
    assert "sampler_config in generation_config.json" in refused(checkpoint.path)


def test_generation_settings_that_cannot_be(checkpoint, refused):
    checkpoint.edit_json("generation_config.json", lambda config: config.update(t_min=0.9))
    assert "generation_config.json cannot be used: temperatures" in refused(checkpoint.path)


def test_experts_that_do_not_fill_their_blocks(checkpoint, refused):
    def change(config):
        config["text_config"]["moe_intermediate_size"] = 32

    def shrink(tensors):
        for layer in range(2):
            experts = f"model.decoder.layers.{layer}.experts."
            tensors[experts + "gate_up_proj"] = torch.zeros(8, 64, 64)
            tensors[experts + "down_proj"] = torch.zeros(8, 64, 32)

    checkpoint.edit_json("config.json", change)
    checkpoint.edit_tensors(shrink)
    error = refused(checkpoint.path, "--block-size", "64")
    assert "moe_intermediate_size 32" in error and "--block-size 32" in error
