"""A LoRA adapter merged at export: what PEFT itself makes of it, and everything that does not fit refused by name."""

import json
import warnings
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from export.checkpoint import load_model, open_checkpoint
from export.config import ExportOptions
from export.errors import ExportError
from export.lora_merge import describe_lora
from export.pipeline import export_checkpoint

with warnings.catch_warnings():
    # Deprecations inside the library and those it pulls in.
    warnings.simplefilter("ignore")
    import peft

DECODER = r"model\.decoder\..*"
BOTH = r"model\.(decoder|encoder\.language_model)\..*"
EXPERTS = ["experts.gate_up_proj", "experts.down_proj"]

KINDS = {
    "decoder": {"target_modules": DECODER + "(q_proj|o_proj|gate_proj)"},
    "encoder and decoder": {"target_modules": BOTH + "(k_proj|down_proj)"},
    "router and conditioning": {"target_modules": DECODER + r"(router\.proj|self_conditioning\.up_proj)"},
    "experts": {"target_modules": [], "target_parameters": EXPERTS},
    "one of the experts' weights": {"target_modules": [], "target_parameters": ["experts.down_proj"]},
    "a linear layer and experts": {"target_modules": DECODER + "v_proj", "target_parameters": EXPERTS},
    "names and layers": {
        "target_modules": ["q_proj", "mlp.up_proj"],
        "exclude_modules": r".*vision.*",
        "layers_to_transform": [1],
    },
    "scaled with the root of the rank": {"target_modules": DECODER + "q_proj", "use_rslora": True},
    "ranks of their own": {
        "target_modules": DECODER + "(q_proj|o_proj)",
        "target_parameters": EXPERTS,
        "rank_pattern": {"o_proj": 2, "experts.down_proj": 3, r"layers\.0\.self_attn\.q_proj": 1},
        "alpha_pattern": {"q_proj": 5},
    },
    "fan in, fan out": {"target_modules": DECODER + "q_proj", "fan_in_fan_out": True},
}


@pytest.fixture
def base(tiny_checkpoint):
    return load_model(open_checkpoint(tiny_checkpoint))


def adapted(model, **settings):
    """PEFT's model with an adapter whose A and B both matter."""
    config = peft.LoraConfig(**{"r": 4, "lora_alpha": 6, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapped = peft.get_peft_model(model, config)
    torch.manual_seed(1)
    for name, parameter in wrapped.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    return wrapped


def saved(wrapped, folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapped.save_pretrained(folder)
    return folder


@pytest.fixture
def adapter(base, tmp_path):
    return saved(adapted(base, target_modules=DECODER + "q_proj", target_parameters=EXPERTS), tmp_path / "adapter")


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_the_weights_are_those_that_peft_itself_merges(base, tiny_checkpoint, tmp_path, settings):
    before = {name: parameter.clone() for name, parameter in base.named_parameters()}
    wrapped = adapted(base, **settings)
    ours = load_model(open_checkpoint(tiny_checkpoint, saved(wrapped, tmp_path / "adapter")))
    theirs = wrapped.merge_and_unload()

    changed = 0
    for name, parameter in theirs.named_parameters():
        if "vision" in name:
            continue
        torch.testing.assert_close(ours.get_parameter(name), parameter, rtol=1e-5, atol=1e-6)
        changed += not torch.equal(parameter, before[name])
    assert changed


def test_an_adapter_that_encoder_and_decoder_share_computes_what_was_trained(base, tiny_checkpoint, tmp_path):
    wrapped = adapted(base, target_modules=BOTH + "(q_proj|o_proj)")
    layers = wrapped.base_model.model.model
    for encoder, decoder in zip(layers.encoder.language_model.layers, layers.decoder.layers, strict=True):
        for name in ("q_proj", "o_proj"):
            one, other = getattr(encoder.self_attn, name), getattr(decoder.self_attn, name)
            one.lora_A, one.lora_B = other.lora_A, other.lora_B
    checkpoint = open_checkpoint(tiny_checkpoint, saved(wrapped, tmp_path / "adapter"))
    ours = load_model(checkpoint)
    assert "the same change for encoder and decoder" in describe_lora(checkpoint.adapter)

    prompt, canvas = torch.arange(20, 29)[None], torch.arange(40, 56)[None]
    with torch.no_grad():
        expected = wrapped(input_ids=prompt, decoder_input_ids=canvas).logits
        found = ours(input_ids=prompt, decoder_input_ids=canvas).logits
        plain = load_model(open_checkpoint(tiny_checkpoint))(input_ids=prompt, decoder_input_ids=canvas).logits
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert (plain - expected).abs().max() > 0.1


def test_a_rounded_base_is_rounded_once(base, tiny_checkpoint, adapter):
    checkpoint = open_checkpoint(tiny_checkpoint, adapter)
    exact, rounded = load_model(checkpoint), load_model(checkpoint, torch.bfloat16)
    name = "model.decoder.layers.0.experts.down_proj"
    assert rounded.get_parameter(name).dtype is torch.bfloat16
    torch.testing.assert_close(rounded.get_parameter(name).float(), exact.get_parameter(name), rtol=0.01, atol=0.01)


def test_a_bundle_with_an_adapter_is_verified_and_has_a_revision_of_its_own(tiny_checkpoint, adapter, tmp_path):
    lines = []
    options = ExportOptions(tiny_checkpoint, tmp_path / "bundle", linear="int8", lora=adapter, verify=True)
    summary = export_checkpoint(options, lines.append)
    assert summary.verified.largest < summary.verified.limit
    assert any("adapter into" in line and "decoder" in line for line in lines)
    assert summary.manifest.source.revision != open_checkpoint(tiny_checkpoint).revision


def edit(folder, **changes):
    file = folder / "adapter_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


def change_tensors(folder, change):
    tensors = load_file(folder / "adapter_model.safetensors")
    change(tensors)
    save_file(tensors, folder / "adapter_model.safetensors")


Q_A = "base_model.model.model.decoder.layers.0.self_attn.q_proj.lora_A.weight"
Q_B = Q_A.replace("lora_A", "lora_B")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.pop(Q_B), f"tensor {Q_B} is missing from adapter_model.safetensors"),
        (lambda t: t.update({"base_model.model.model.decoder.norm.lora_A.weight": t[Q_A].clone()}), "decoder.norm"),
        (lambda t: t.update({Q_A: t[Q_A][:3].clone()}), f"tensor {Q_A} in adapter_model.safetensors has shape [3, 64]"),
        (lambda t: t.update({Q_A: t[Q_A].to(torch.int32)}), f"tensor {Q_A} in adapter_model.safetensors has type I32"),
    ],
    ids=["missing", "unknown", "ill-shaped", "no float"],
)
def test_a_tensor_that_does_not_fit_is_refused_by_name(tiny_checkpoint, adapter, change, told):
    change_tensors(adapter, change)
    with pytest.raises(ExportError) as error:
        open_checkpoint(tiny_checkpoint, adapter)
    assert told in error.value.message


def test_a_number_that_is_not_finite_is_refused_by_name(tiny_checkpoint, adapter):
    change_tensors(adapter, lambda tensors: tensors[Q_A].fill_(float("nan")))
    with pytest.raises(ExportError, match="q_proj"):
        load_model(open_checkpoint(tiny_checkpoint, adapter))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"peft_type": "IA3"}, "peft_type 'IA3'"),
        ({"use_dora": True}, "use_dora"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"bias": "all"}, "bias 'all'"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights 'pissa'"),
        ({"r": 0}, "r 0"),
        ({"lora_alpha": "much"}, "lora_alpha 'much'"),
        ({"target_modules": "(q_proj"}, "no regular expression"),
        ({"target_modules": ["embed_tokens"]}, "embed_tokens"),
        ({"target_modules": ["lm_head"]}, "lm_head"),
        ({"target_modules": ["w_proj"], "target_parameters": []}, "targets nothing"),
        ({"target_parameters": ["router.scale"]}, "router.scale"),
        ({"target_modules": DECODER + "k_proj"}, "k_proj.lora_A.weight is missing"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_config_that_cannot_be_merged_is_refused(tiny_checkpoint, adapter, changes, told):
    edit(adapter, **changes)
    with pytest.raises(ExportError) as error:
        open_checkpoint(tiny_checkpoint, adapter)
    assert told in error.value.message


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_missing_file_is_named(tiny_checkpoint, adapter, name, refused):
    (adapter / name).unlink()
    assert name in refused(tiny_checkpoint, "--lora", str(adapter))


def test_a_folder_that_is_not_there_is_named(tiny_checkpoint, tmp_path, refused):
    assert "nowhere is not a folder" in refused(tiny_checkpoint, "--lora", str(tmp_path / "nowhere"))
