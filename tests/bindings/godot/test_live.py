"""The addon with a real sidecar: one that it starts itself, and one that runs already."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runtime.client import PalaverClient, start_sidecar
from tests.bindings.godot.conftest import complaints_in
from tools.conversation import CONVERSATION, hold_conversation

END_TIMEOUT_S = 10.0


@pytest.fixture(scope="module")
def sidecar():
    """A sidecar that runs already."""
    with start_sidecar() as running:
        yield running


def test_a_game_from_its_start_to_its_end(project, sidecar_environ):
    ran = project.run_suites("live", **sidecar_environ)
    pids = pids_in(ran.stdout)
    # It was killed twice and stopped once.
    assert len(set(pids)) == 4
    assert not any(map(runs, pids))


def test_clients_that_share_a_sidecar(project, sidecar):
    project.run_suites("shared", PALAVER_TEST_PORT=str(sidecar.port), PALAVER_TEST_SECRET=sidecar.secret)


def test_the_autoload_can_use_a_sidecar_that_runs_already(project, sidecar):
    project.run_suites("attached", PALAVER_PORT=str(sidecar.port), PALAVER_SECRET=sidecar.secret)
    # It was not started by the game and is not ended by it.
    with PalaverClient(sidecar) as client:
        assert client.ping() > 0.0


def test_the_conversation_is_that_of_python(project, sidecar):
    script = ["--script", "res://tests/conversation.gd", "--", str(sidecar.port), str(CONVERSATION)]
    ran = project.run(*script, PALAVER_SECRET=sidecar.secret)
    assert (ran.code, ran.complaints) == (0, [])
    assert [json.loads(line) for line in ran.stdout] == hold_conversation(sidecar.port, sidecar.secret)


def test_a_sidecar_that_cannot_be_started(project):
    ran = project.run("--", "failing", PALAVER_TEST_PYTHON=sys.executable)
    assert ran.code == 0, ran
    # The game's programmer is told, and nothing else goes wrong.
    assert len(ran.complaints) == 3
    assert all("Palaver has no sidecar" in complaint for complaint in ran.complaints)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_no_sidecar_outlives_a_game_that_is_killed(project, sidecar_environ, end, tmp_path):
    # The editor ends a game by SIGKILL too.
    stderr = tmp_path / "stderr"
    with stderr.open("w", encoding="utf-8") as complaints:
        game = subprocess.Popen(
            project.command("--", "stay"),
            env=project.environ | sidecar_environ,
            stdout=subprocess.PIPE,
            stderr=complaints,
            encoding="utf-8",
        )
        with game:
            pids = pids_in([game.stdout.readline()])
            assert pids and runs(pids[0]), stderr.read_text(encoding="utf-8")
            game.send_signal(end)
            game.wait(END_TIMEOUT_S)
    assert_ends(pids[0])
    assert not complaints_in(stderr.read_text(encoding="utf-8").splitlines())


def pids_in(lines):
    """Process ids of the sidecars that a suite has told of."""
    return [int(line.split()[1]) for line in lines if line.startswith("SIDECAR ")]


def runs(pid):
    """Whether a process does anything; one that has ended, and that nobody has asked after yet, does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def assert_ends(pid):
    ends_s = time.monotonic() + END_TIMEOUT_S
    while runs(pid):
        assert time.monotonic() < ends_s, f"the sidecar {pid} still runs"
        time.sleep(0.02)
