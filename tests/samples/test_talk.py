import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "terminal" / "talk.py"


def talk(typed, *arguments):
    return subprocess.run(
        [sys.executable, SAMPLE, *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=120,
    )


def test_the_one_who_was_turned_to_answers():
    done = talk("Who are you?\nguard\nIs it safe here?\n\nnot asked any more\n", "--deadline-ms", "60000")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "You turn to Harmund, the guard." in done.stdout
    speakers = [line.removeprefix("> ").split(":")[0] for line in done.stdout.splitlines() if "(model, " in line]
    assert speakers == ["Thora", "Harmund"]


def test_an_answer_that_has_no_time_is_one_of_the_written_lines():
    done = talk("hunter\nWhere is Thornwick?\n", "--deadline-ms", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(fallback, " in done.stdout


def test_the_sample_is_short():
    assert len(SAMPLE.read_text(encoding="utf-8").splitlines()) < 80
