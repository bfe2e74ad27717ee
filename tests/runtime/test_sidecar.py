"""The child process that a game in Python can start."""

import pytest

from runtime import Npc, PalaverError
from runtime.client import PalaverClient, start_sidecar

MIRA = Npc("smith", "Mira", "blacksmith")


def test_it_has_a_secret_and_is_gone_after_the_with_block(tiny_bundle):
    with pytest.raises(KeyError), start_sidecar(tiny_bundle) as sidecar:
        raise KeyError("a game's own mistake")
    assert len(sidecar.secret) == 32
    assert sidecar.process.poll() is not None
    with pytest.raises(PalaverError):
        PalaverClient(sidecar, wait_s=0.2)


def test_one_that_cannot_start_says_why(tmp_path):
    with pytest.raises(PalaverError, match="did not start") as caught:
        start_sidecar(tmp_path / "nowhere")
    assert caught.value.code == "sidecar-failed"
    assert "nowhere" in caught.value.message
    assert "exit code 1" in caught.value.message


def test_one_that_takes_too_long_is_ended(tiny_bundle):
    with pytest.raises(PalaverError, match="was not ready within 0 s") as caught:
        start_sidecar(tiny_bundle, timeout_s=0.0)
    assert caught.value.code == "timeout"


def test_a_runtime_folder_in_the_games_own_directory_is_not_taken_for_palaver(tiny_bundle, tmp_path, monkeypatch):
    decoy = tmp_path / "runtime"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise SystemExit('the wrong runtime')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar) as client:
        assert client.ask(MIRA, "Hello").source == "model"
