import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "terminal" / "ask_three.py"


def run(monkeypatch, *arguments):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, SAMPLE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_three_npcs_answer(tiny_bundle, monkeypatch):
    done = run(monkeypatch, "--model", tiny_bundle)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("you: ") == 3
    assert done.stdout.count(", seed ") == 3
    assert "Borin, blacksmith: " in done.stdout


def test_a_missing_model_is_one_line(tmp_path, monkeypatch):
    done = run(monkeypatch, "--model", tmp_path / "nowhere")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "nowhere" in done.stderr
