"""Fine-tuning on a studio's own script: it learns the lines, keeps the rest, and goes on after an interruption."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from runtime import Npc, load
from runtime.bundle import load_bundle
from runtime.errors import PalaverError
from runtime.pocket import POCKET_MODEL
from tools.train.__main__ import main
from tools.train.checkpoint import load_state, save_state
from tools.train.finetune import FinetuneConfig, FinetuneRun, finetune
from tools.train.finetune_eval import held_out_loss
from tools.train.pocket import PackedDenoiser
from tools.train.script.cast import Cast
from tools.train.script.read import read_script
from tools.train.script.scenes import divide

ROW = 300
LINES = [("How is the road?", "No road is long for a mule."), ("And the mule?", "The mule is a mule, my lord.")]


@pytest.fixture(scope="module")
def script(tmp_path_factory) -> Path:
    """A script of forty lines that have a good deal in common."""
    path = tmp_path_factory.mktemp("script") / "my game.csv"
    rows = ["speaker,context,line"]
    for number in range(20):
        rows += [f'Old Pell,{said} {number},"{line[:-1]} {number}."' for said, line in LINES]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parts(script):
    return divide(read_script(script), Cast(), load_bundle(POCKET_MODEL).tokenizer, ROW)


@pytest.fixture
def config(tmp_path) -> FinetuneConfig:
    return FinetuneConfig(
        base=POCKET_MODEL, out=tmp_path, passes=2, rows=2, row_length=ROW, warmup_steps=1, muon_lr=0.01, adam_lr=1e-3
    )


def test_the_held_out_lines_become_likelier(config, parts):
    run = FinetuneRun(config, parts)

    def loss() -> float:
        return held_out_loss(PackedDenoiser(run.model), run.tokenizer, parts.held_out, ROW)

    before = loss()
    finetune(run)
    assert run.progress() >= 1
    assert loss() < 0.8 * before


def test_the_minutes_end_it_sooner(config, parts):
    run = FinetuneRun(FinetuneConfig(base=POCKET_MODEL, out=config.out, minutes=1e-3, rows=2, row_length=ROW), parts)
    finetune(run)
    assert 0 < run.step_index < run.steps
    assert run.seconds_left() == 0


def test_a_restored_run_takes_the_same_next_step(config, parts):
    run = FinetuneRun(config, parts)
    run.step()
    save_state(config.out, run.state())
    expected = run.step()

    again = FinetuneRun(config, parts)
    again.restore(load_state(config.out))
    # The learning rates follow the time only where minutes are given.
    assert again.step() == pytest.approx(expected, rel=1e-5)
    torch.testing.assert_close(again.model.model.decoder.norm.weight, run.model.model.decoder.norm.weight)


def test_a_run_on_other_lines_is_not_continued(config, parts):
    run = FinetuneRun(config, parts)
    state = {**run.state(), "script": 0}
    with pytest.raises(PalaverError, match="other lines"):
        run.restore(state)


@pytest.mark.parametrize("wrong", [{"passes": 0}, {"minutes": -1}, {"share": 1.5}])
def test_settings_out_of_range_are_refused(tmp_path, wrong):
    with pytest.raises(PalaverError, match=f"{next(iter(wrong))} is "):
        FinetuneConfig(base=POCKET_MODEL, out=tmp_path, **wrong)


@pytest.mark.parametrize(
    ("lines", "passes"), [(100, 16), (500, 16), (2000, 8), (5000, pytest.approx(5.1, abs=0.1)), (50_000, 2)]
)
def test_a_small_script_is_seen_more_often(tmp_path, lines, passes):
    assert FinetuneConfig(base=POCKET_MODEL, out=tmp_path).passes_over(lines) == passes


def run_command(monkeypatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["tools.train", "finetune", *arguments])
    main()


def test_from_a_script_to_a_model_that_a_game_can_use(script, tmp_path, monkeypatch, capsys):
    out = tmp_path / "my model"
    arguments = ["--lines", str(script), "--out", str(out), "--passes", "0.2", "--share", "0.9", "--questions", "4"]
    run_command(monkeypatch, *arguments, "--threads", "1")

    printed = capsys.readouterr()
    assert "speakers: Old Pell (40, no persona)" in printed.err
    assert "kept             90 % of the change after 0." in printed.out
    for told in ("nats a token", "answered from the prompt", "in all", "500 lines", "50,000 lines", "extrapolated"):
        assert told in printed.out
    *_, command = printed.out.splitlines()
    assert command == f'  python -m runtime.serve --model "{out / "bundle"}"'
    figures = json.loads((out / "report.json").read_text(encoding="utf-8"))["figures"]
    assert figures["lines"] + figures["held_out"] == 40
    assert figures["loss_after"] < figures["loss_before"]

    manifest = load_bundle(out / "bundle").manifest
    shipped = load_bundle(POCKET_MODEL).manifest
    assert (manifest.name, manifest.licence) == ("my model", shipped.licence)
    assert (manifest.quantisation, manifest.geometry) == (shipped.quantisation, shipped.geometry)
    assert load(out / "bundle").ask(Npc(id="pell", name="Old Pell", role="villager"), "How is the road?").text


def test_what_cannot_be_read_is_one_line(tmp_path, monkeypatch):
    path = tmp_path / "lines.csv"
    path.write_text("speaker,line\nPell,Hm.,Hm.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"error: .*lines\.csv, line 2: 3 cells"):
        run_command(monkeypatch, "--lines", str(path), "--out", str(tmp_path / "out"))


@pytest.mark.skipif(sys.platform == "win32", reason="no signal for one process of a console")
def test_an_interrupted_run_is_saved_and_goes_on(script, tmp_path):
    command = [sys.executable, "-m", "tools.train", "finetune", "--lines", str(script), "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        [*command, "--passes", "5000", "--questions", "1", "--threads", "1"],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=Path(__file__).resolve().parents[3],
    )
    with process:
        for line in process.stderr:
            if line.startswith("batch "):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted: the same command goes on from here" in rest
    assert "min left" in line
    state = load_state(tmp_path / "out")
    assert state["step_index"] >= 1
