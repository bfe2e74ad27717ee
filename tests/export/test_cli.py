"""python -m export, as a user runs it."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from export.__main__ import main
from export.config import ExportOptions
from export.pipeline import export_checkpoint
from runtime.bundle import load_bundle
from runtime.session import StepSession
from tests.checkpoints import CHAT_TEMPLATE, SPECIAL_TOKENS, random_model, save_checkpoint, tiny_config


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    printed = capsys.readouterr().out
    assert exit_.value.code == 0
    for word in (
        "CHECKPOINT",
        "OUT",
        "--experts",
        "--linear",
        "--slices",
        "--lora",
        "--verify",
        "tokenizer.json",
        "examples:",
        "Exit code",
    ):
        assert word in printed


def test_an_unknown_choice_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["checkpoint", "out", "--experts", "int3"])
    assert exit_.value.code == 2
    assert "int4" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from export.__main__ import main; sys.exit(main(['checkpoint', 'out']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ended.returncode == 2
    assert (
        ended.stderr == 'error: the exporter needs torch, which is not installed. Run pip install "palaver[export]"\n'
    )


def test_a_verified_export_to_a_path_with_spaces_and_other_letters(checkpoint, tmp_path, capsys):
    out = tmp_path / "Bündel für Mira" / "森 1"
    out.mkdir(parents=True)
    (out / "bundle.json").write_text("of an older export", encoding="utf-8")
    (out / "left over").write_text("of an older export", encoding="utf-8")
    source = checkpoint.path.rename(tmp_path / "Prüfpunkt 1")

    arguments = [str(source), str(out), "--experts", "fp32", "--linear", "int4", "--block-size", "64", "--slices", "2"]
    assert main([*arguments, "--name", "Wald", "--licence", "CC0-1.0", "--verify", "--json"]) == 0

    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    files = {path.name: path.stat().st_size for path in out.iterdir()}
    manifest_bytes = files.pop("bundle.json")
    assert manifest_bytes > 0
    assert summary["files"] == files
    assert summary["slices"] == 2
    assert summary["total_bytes"] == sum(files.values())
    assert summary["quantisation"] == {"experts": "fp32", "linear": "int4", "embeddings": "fp32", "block_size": 64}
    assert 0 < summary["verified"]["entropy"] < summary["verified"]["limit"] == 1e-3
    assert "largest differences" in printed.err

    manifest = load_bundle(out).manifest
    assert (manifest.name, manifest.licence, manifest.left_out) == ("Wald", "CC0-1.0", ("vision",))
    assert manifest.source.checkpoint == "Prüfpunkt 1"
    assert str(tmp_path) not in (out / "bundle.json").read_text(encoding="utf-8")
    StepSession(load_bundle(out)).encode(np.array([[2, 5, 20]]))


def test_a_bundle_that_is_not_exact_is_not_kept(tmp_path, refused, monkeypatch):
    """The real comparison, on a graph whose experts were made with their scales forgotten."""
    model = random_model(tiny_config(layer_types=("full_attention",)))
    source = save_checkpoint(model, tmp_path / "checkpoint")
    monkeypatch.setattr("export.lowered_experts.fold_scale", lambda down, per_expert_scale: down)
    error = refused(source, "--experts", "fp32", "--verify", code=1)
    assert "does not compute what transformers does" in error


def test_a_bfloat16_checkpoint_computes_in_float32(tmp_path):
    """With a hidden size whose square root, the embedding's scale, bfloat16 cannot hold."""
    config = tiny_config("gelu_pytorch_tanh")
    config.text_config.hidden_size = 96
    source = save_checkpoint(random_model(config).to(torch.bfloat16), tmp_path / "checkpoint")
    summary = export_checkpoint(ExportOptions(source, tmp_path / "out", experts="fp32", verify=True))
    assert summary.verified.limit == 1e-4


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"linear": "int4", "embeddings": "int8"},
        {"experts": "fp32", "embeddings": "int8", "slices": 3},
    ],
)
def test_tanh_gelu_is_exact_however_the_weights_are_stored(tmp_path, settings):
    source = save_checkpoint(random_model(tiny_config("gelu_pytorch_tanh")), tmp_path / "checkpoint")
    summary = export_checkpoint(ExportOptions(source, tmp_path / "out", verify=True, **settings))
    assert summary.verified.largest < 1e-5


def test_a_dry_run_says_what_would_come_and_writes_nothing(tiny_checkpoint, tmp_path, capsys):
    assert main([str(tiny_checkpoint), str(tmp_path / "out"), "--dry-run", "--json"]) == 0
    foreseen = json.loads(capsys.readouterr().out)["estimate"]
    assert not list(tmp_path.iterdir())
    summary = export_checkpoint(ExportOptions(tiny_checkpoint, tmp_path / "out"))
    assert foreseen["weights_bytes"] == summary.manifest.files["step.onnx.data"].bytes
    assert foreseen["peak_memory_mb"] > 100


def test_the_manifest_says_what_the_checkpoint_holds(tiny_bundle, tiny_checkpoint):
    manifest = load_bundle(tiny_bundle).manifest
    assert manifest.source.model_type == "diffusion_gemma"
    assert len(manifest.source.revision) == 64
    assert manifest.tokens.special == SPECIAL_TOKENS
    assert (manifest.tokens.bos, manifest.tokens.channel_open) == ("<bos>", "<|channel>")
    assert manifest.generation.eos_token_ids == (1, 3)
    assert manifest.generation.max_denoising_steps == 8
    assert [layer.kind for layer in manifest.geometry.layers] == ["sliding_attention", "full_attention"]
    assert load_bundle(tiny_bundle).chat_template == CHAT_TEMPLATE
    assert (tiny_bundle / "tokenizer.json").read_bytes() == (tiny_checkpoint / "tokenizer.json").read_bytes()
