"""A run learns, and an interrupted run goes on as if nothing had happened."""

from pathlib import Path

import pytest
import torch
from transformers import DiffusionGemmaForBlockDiffusion

from runtime.errors import RequestError
from runtime.pocket import POCKET_MODEL
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.checkpoint import load_state, save_checkpoint, save_state
from tools.train.loop import TrainingConfig, TrainingRun, train


@pytest.fixture
def config(tmp_path: Path) -> TrainingConfig:
    # One row of one batch is enough to see a loss fall; a fixed rate needs a run that is long by the clock.
    return TrainingConfig(minutes=1e6, out=tmp_path, rows=1, vocab_size=700, warmup_steps=1, threads=1)


def test_the_loss_falls(config: TrainingConfig) -> None:
    run = TrainingRun(config)
    losses = [run.step()["canvas"] for _ in range(12)]
    assert sum(losses[-3:]) < sum(losses[:3]) - 1


def test_a_restored_run_takes_the_same_next_step(config: TrainingConfig) -> None:
    run = TrainingRun(config)
    run.step()
    save_state(config.out, run.state())
    expected = run.step()

    again = TrainingRun(config)
    state = load_state(config.out)
    assert state is not None
    again.restore(state)
    assert again.step_index == 1
    found = again.step()
    assert found["canvas"] == pytest.approx(expected["canvas"], rel=1e-5)
    assert found["causal"] == pytest.approx(expected["causal"], rel=1e-5)


def test_the_checkpoint_is_a_hugging_face_folder(config: TrainingConfig) -> None:
    run = TrainingRun(config)
    save_checkpoint(run.model, run.tokenizer, config.out)
    loaded = DiffusionGemmaForBlockDiffusion.from_pretrained(config.out)
    for name, parameter in run.model.named_parameters():
        assert torch.equal(parameter, loaded.get_parameter(name)), name
    assert {path.name for path in config.out.iterdir()} >= {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "chat_template.jinja",
    }


def test_a_share_of_the_change_from_the_base_is_kept(tmp_path: Path) -> None:
    config = TrainingConfig(
        minutes=1e-6, out=tmp_path, base=POCKET_MODEL, kept_share=0.25, rows=1, warmup_steps=1, threads=1
    )
    train(config)
    base, _ = load_pocket_bundle(POCKET_MODEL)
    trained, state = TrainingRun(config), load_state(tmp_path)
    assert state is not None
    trained.restore(state)
    kept = DiffusionGemmaForBlockDiffusion.from_pretrained(tmp_path)
    changed = 0
    for name, before in base.model.decoder.named_parameters(prefix="model.decoder"):
        after = trained.model.get_parameter(name)
        assert torch.equal(kept.get_parameter(name), torch.lerp(before, after, 0.25)), name
        changed += not torch.equal(before, after)
    assert changed


@pytest.mark.parametrize(("kept_share", "base"), [(0.0, POCKET_MODEL), (1.5, POCKET_MODEL), (0.5, None)])
def test_a_share_that_cannot_be_kept_is_refused(tmp_path: Path, kept_share: float, base: Path | None) -> None:
    with pytest.raises(RequestError, match="kept_share"):
        TrainingConfig(minutes=1, out=tmp_path, base=base, kept_share=kept_share)


@pytest.mark.parametrize(("step", "minute", "expected"), [(0, 0, 0.02), (49, 0, 1.0), (500, 7, 1.0), (500, 8.5, 0.5)])
def test_learning_rates_rise_by_steps_and_fall_by_time(
    tmp_path: Path, step: int, minute: float, expected: float
) -> None:
    config = TrainingConfig(minutes=10, out=tmp_path)
    assert config.learning_rate_scale(step, 60 * minute) == pytest.approx(expected)
