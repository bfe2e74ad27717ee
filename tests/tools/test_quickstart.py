"""The promise of the README: one command from a clone to three lines, in an environment that holds nothing else."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.environment import PROJECT_ROOT, clean_environ, python_of

pytestmark = pytest.mark.install

QUICKSTART = PROJECT_ROOT / "tools" / "quickstart.py"
POCKET_MODEL = PROJECT_ROOT / "runtime" / "models" / "pocket"


def quickstart(venv, *arguments):
    command = [sys.executable, QUICKSTART, "--venv", venv, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600, env=clean_environ())


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder outside the repository whose name has a space and other letters in it."""
    return tmp_path_factory.mktemp("home") / "my gämes"


@pytest.fixture(scope="module")
def first_run(home):
    return quickstart(home / "venv")


@pytest.fixture
def python(first_run, home):
    """The interpreter of the environment that the quickstart made."""
    assert first_run.returncode == 0, first_run.stdout + first_run.stderr
    return python_of(home / "venv")


def test_it_ends_with_three_answers(first_run):
    assert first_run.returncode == 0, first_run.stdout + first_run.stderr
    said = re.findall(
        r"^  you: .+\n  \w+, [\w ]+: (.+)\n    \d+ ms, \d+ steps, \d+ tokens, seed \d+$", first_run.stdout, re.M
    )
    assert len(said) == 3, first_run.stdout
    assert "(says nothing)" not in said
    assert re.search(r"^Palaver is installed in \d+ s", first_run.stdout, re.M)


def test_a_second_run_installs_nothing(python, home):
    done = quickstart(home / "venv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Palaver is already installed" in done.stdout
    assert "Downloading" not in done.stdout and "Installing" not in done.stdout


def test_what_was_installed_needs_neither_torch_nor_transformers(python, home):
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True)
    names = {package["name"].lower() for package in json.loads(listed.stdout)}
    assert "palaver" in names and not {"torch", "transformers", "onnx", "optimum"} & names
    check = (
        "import runtime, sys; from runtime import load; import runtime.serve, runtime.client, runtime.ask; "
        "assert not {'torch', 'transformers', 'export', 'tools'} & set(sys.modules); print(runtime.__file__)"
    )
    done = subprocess.run([python, "-c", check], capture_output=True, text=True, encoding="utf-8", cwd=home)
    assert done.returncode == 0, done.stderr
    assert home in Path(done.stdout.strip()).parents


def test_the_pocket_model_says_the_same_line_in_two_processes(python, home):
    command = [python, "-m", "runtime.ask", "What do you sell?", "--seed", "7", "--json"]
    runs = [subprocess.run(command, capture_output=True, encoding="utf-8", cwd=home, check=True) for _ in range(2)]
    lines = [json.loads(run.stdout) for run in runs]
    assert lines[0]["text"]
    assert lines[0]["text"] == lines[1]["text"]


def test_a_bundle_that_cannot_be_used_is_one_clear_line(python, home):
    shutil.copytree(POCKET_MODEL, home / "model", dirs_exist_ok=True)
    weights = home / "model" / "step.onnx.data"
    weights.write_bytes(weights.read_bytes()[:-1])
    done = quickstart(home / "venv", "--model", home / "model")
    assert done.returncode == 1
    assert "step.onnx.data has" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes that were left in /proc")
def test_interrupting_it_leaves_no_process_behind(python, home):
    def left():
        """Command lines of processes that run on the environment's Python."""
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines.append(path.read_bytes().decode("utf-8", "replace"))
            except OSError:
                continue
        return [line for line in lines if str(home / "venv") in line]

    command = [sys.executable, QUICKSTART, "--venv", home / "venv"]
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=clean_environ()
    )
    with running:
        ends_s = time.monotonic() + 60.0
        while not any("runtime.serve" in line for line in left()):
            assert time.monotonic() < ends_s and running.poll() is None, "no sidecar was started"
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        _, complaint = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "stopped" in complaint
    assert left() == []
