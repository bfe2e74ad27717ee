"""The standalone sidecar is built, and runs with nothing of this environment around it."""

import json
import os
import subprocess
import sys

import pytest

from runtime import Npc, load
from runtime.client import PalaverClient
from runtime.messages import READY
from tools.standalone import NAME, build_standalone, size_mb

MOST_MB = 200.0
BORIN = Npc("smith", "Borin", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))
# What Windows cannot start a process without.
NOTHING = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build_standalone(tmp_path_factory.mktemp("Müller's gämes 田"))


@pytest.fixture
def program(folder):
    return folder / (f"{NAME}.exe" if sys.platform == "win32" else NAME)


def test_it_checks_itself(program, tmp_path):
    command = [str(program), "--check", "--json"]
    done = subprocess.run(command, env=NOTHING, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    report = json.loads(done.stdout)
    assert report["ok"] is True
    assert report["onnxruntime"].startswith("1.")
    assert report["model"] == "pocket" and report["line"]


def test_it_answers_as_the_library_does_and_ends_with_its_game(program, tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environ = {**NOTHING, "PALAVER_SECRET": "s"}
    with subprocess.Popen([str(program), "--stdio-guard"], env=environ, cwd=tmp_path, **pipes) as process:
        facts = json.loads(process.stdout.readline().removeprefix(READY))
        assert facts["pid"] == process.pid
        with PalaverClient(facts["port"], secret="s") as client:
            line = client.ask(BORIN, "What does the iron sword cost?", seed=1, steps=8)
        assert line.text == load().ask(BORIN, "What does the iron sword cost?", seed=1, steps=8).text
        process.stdin.close()
        assert process.wait(30.0) == 0


def test_it_holds_what_it_needs_and_not_the_workshop(folder):
    names = {path.name for path in folder.rglob("*")}
    assert {"LICENSE", "NOTICE", "bundle.json", "step.onnx.data"} <= names
    assert not names & {"torch", "transformers", "onnx", "export", "tests"}
    assert {name.partition("-")[0] for name in names if name.endswith(".dist-info")} >= {
        "onnxruntime",
        "numpy",
        "pyzmq",
    }
    assert size_mb(folder) < MOST_MB
