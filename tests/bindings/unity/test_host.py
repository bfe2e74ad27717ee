"""The sidecar as a child of a C# program: started, watched, started again, and never left behind."""

import sys
import time
from pathlib import Path

import pytest

from tests.bindings.unity.conftest import TESTS, CSharp, sources

GONE_WITHIN_S = 10.0

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc")


def is_running(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pid):
    limit = time.monotonic() + GONE_WITHIN_S
    while is_running(pid):
        assert time.monotonic() < limit, f"the sidecar {pid} is still there"
        time.sleep(0.02)


@pytest.fixture
def folder(tmp_path):
    """A folder with a name that not every program takes."""
    made = tmp_path / "a b ü 田"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    "test",
    [
        "ASidecarThatIsKilledIsStartedAgain",
        "WhatCannotBeStartedIsToldAndTriedAgain",
        "TheSidecarSaysWhyItEnded",
        "ArgumentsArriveAsTheyAre",
    ],
)
def test_the_life_of_a_sidecar(csharp, folder, test):
    csharp.check(f"HostTests.{test}", sys.executable, folder)


def test_a_game_that_is_killed_leaves_no_sidecar(csharp, folder):
    game = csharp.start("HostTests.RunUntilKilled", sys.executable, folder)
    with game:
        try:
            sidecar = int(game.stdout.readline())
            assert is_running(sidecar)
        finally:
            game.kill()
        wait_until_gone(sidecar)


@pytest.fixture(scope="session")
def unity(mono, layer):
    program = layer.folder / "layer.exe"
    mono.compile(sources(TESTS / "layer"), program, references=layer.references)
    return CSharp(mono, program)


@pytest.mark.parametrize(
    "test",
    [
        "LinesComeByTask",
        "TokensCancel",
        "LeavingPlayModeStopsTheSidecar",
        "ReloadingAssembliesStopsTheSidecar",
        "QuittingStopsTheSidecar",
    ],
)
def test_the_components_for_unity(unity, folder, test):
    unity.check(test, sys.executable, folder)
