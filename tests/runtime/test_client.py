"""The Python client and the child process it can start, against a real sidecar on a tiny model."""

import os
import signal
import socket
import sys
import time

import pytest

from runtime import Line, Npc, PalaverError, RequestError
from runtime.client import PalaverClient, start_sidecar

MIRA = Npc("smith", "Mira", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))
LONG = {"seed": 1, "steps": 1000, "max_tokens": 2000}


@pytest.fixture(scope="module")
def sidecar(tiny_bundle):
    with start_sidecar(tiny_bundle) as started:
        yield started


@pytest.fixture
def client(sidecar):
    with PalaverClient(sidecar.port) as connected:
        yield connected


def poll_until(client, count, limit_s=30.0):
    """What `poll` tells until that many requests have ended, as a game loop would call it."""
    ended, ends_s = [], time.monotonic() + limit_s
    while len(ended) < count:
        assert time.monotonic() < ends_s, "the requests did not end"
        ended += client.poll()
        time.sleep(0.005)
    return ended


def test_the_welcome_tells_of_sidecar_and_model(client):
    assert client.welcome.protocol == 1
    assert client.welcome.version == "0.1.0"
    assert client.welcome.model.canvas_length == 16


def test_ask_gives_a_line(client):
    line = client.ask(MIRA, "What do you sell?", seed=7, steps=4, max_tokens=9, history=[("Hello", "Aye.")])
    assert isinstance(line, Line)
    assert line.text
    assert line.seed == 7
    assert line.tokens <= 9
    assert line.steps_done <= 4


def test_ask_gives_the_same_line_for_the_same_seed_and_the_history_matters(client):
    first = client.ask(MIRA, "Hello", seed=7)
    assert client.ask(MIRA, "Hello", seed=7).text == first.text
    assert client.ask(MIRA, "Hello", seed=7, history=[("Hello", "Leave me.")]).text != first.text


def test_a_game_loop_submits_and_polls_and_gets_each_line_once(client):
    requests = [client.submit(MIRA, "Hello", seed=seed) for seed in (1, 2, 3)]
    ended = poll_until(client, 3)
    assert [request for request, _ in ended] == requests
    assert [line.seed for _, line in ended] == [1, 2, 3]
    assert client.poll() == []


def test_poll_keeps_lines_that_came_while_another_call_waited(client):
    request = client.submit(MIRA, "Hello", seed=1)
    assert client.ask(MIRA, "Hello", seed=2).seed == 2
    assert [(ended, line.seed) for ended, line in poll_until(client, 1)] == [(request, 1)]


def test_a_cancelled_request_ends_with_that_error(client):
    request = client.submit(MIRA, "Hello", **LONG)
    assert client.cancel(request)
    ((ended, error),) = poll_until(client, 1)
    assert ended == request
    assert isinstance(error, PalaverError) and error.code == "cancelled"
    assert not client.cancel(request)


def test_ping_measures_the_way_there_and_back_even_while_a_line_is_made(client):
    request = client.submit(MIRA, "Hello", **LONG)
    assert 0.0 < client.ping() < 1.0
    client.cancel(request)


def test_a_timeout_gives_the_ask_up(client):
    with pytest.raises(PalaverError, match=r"did not answer within 0\.2 s") as caught:
        client.ask(MIRA, "Hello", timeout_s=0.2, **LONG)
    assert caught.value.code == "timeout"
    # Were the long one still running, this one would wait behind it for seconds.
    started_s = time.monotonic()
    assert client.ask(MIRA, "Hello", seed=2).seed == 2
    assert time.monotonic() - started_s < 2.0
    assert client.poll() == []


def test_a_deadline_a_priority_and_a_policy_go_along(client):
    client.submit(MIRA, "Hello", **LONG)
    line = client.ask(MIRA, "Hello", policy="replace", priority=3, deadline_ms=100, **LONG)
    assert (line.seed, line.finish_reason) == (1, "deadline")
    ((_, error),) = poll_until(client, 1)
    assert error.code == "replaced"


def test_drafts_are_told_while_the_line_is_waited_for(client):
    drafts = []
    line = client.ask(MIRA, "Hello", seed=7, steps=4, max_tokens=9, on_draft=drafts.append)
    assert [draft.steps_done for draft in drafts] == sorted({draft.steps_done for draft in drafts})
    assert drafts and drafts[-1].steps_done <= line.steps_done
    assert client.ask(MIRA, "Hello", seed=7, steps=4, max_tokens=9).text == line.text


def test_a_game_ticks_and_polls_or_sets_a_pace(tiny_bundle):
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar.port) as client:
        client.tick(0, 0)
        request = client.submit(MIRA, "Hello", steps=1, max_tokens=2)
        time.sleep(0.2)
        assert client.poll() == []
        ended, frame = [], 0
        while not ended and frame < 3000:
            frame += 1
            client.tick(frame, 4)
            time.sleep(0.005)
            ended = client.poll()
        assert [each for each, _ in ended] == [request]
        client.set_pace(1)
        assert client.ask(MIRA, "Hello", steps=1, max_tokens=2).text


def test_the_sidecars_errors_are_raised_with_code_and_hint(client):
    wordy = Npc("smith", "Mira", "blacksmith", knowledge=("word " * 199,) * 20)
    with pytest.raises(PalaverError, match="tokens") as caught:
        client.ask(wordy, "Hello")
    assert caught.value.code == "prompt-too-long"
    assert caught.value.hint
    client.submit(wordy, "Hello")
    ((_, error),) = poll_until(client, 1)
    assert error.code == "prompt-too-long"


def test_a_bad_argument_is_refused_before_anything_is_sent(client):
    with pytest.raises(RequestError, match="steps is 0"):
        client.ask(MIRA, "Hello", steps=0)
    assert client.ping() < 1.0


def test_nobody_there_is_a_timeout_with_a_hint():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        with pytest.raises(PalaverError, match="did not answer") as caught:
            PalaverClient(listener.getsockname()[1], timeout_s=0.3)
    assert caught.value.code == "timeout"
    assert "process" in caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="stops the process with a signal")
def test_a_sidecar_that_hangs_is_a_timeout(tiny_bundle):
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar.port) as client:
        os.kill(sidecar.process.pid, signal.SIGSTOP)
        with pytest.raises(PalaverError, match="did not answer"):
            client.ping(timeout_s=0.3)
        os.kill(sidecar.process.pid, signal.SIGCONT)
        assert client.ping() < 5.0


def test_a_sidecar_that_died_is_a_timeout_and_not_a_hang(tiny_bundle):
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar.port) as client:
        sidecar.process.kill()
        sidecar.process.wait()
        with pytest.raises(PalaverError, match="did not answer"):
            client.ask(MIRA, "Hello", timeout_s=0.3)


def test_the_sidecar_is_gone_after_the_with_block(tiny_bundle):
    with pytest.raises(KeyError), start_sidecar(tiny_bundle) as sidecar:
        raise KeyError("a game's own mistake")
    assert sidecar.process.poll() is not None
    with pytest.raises(PalaverError):
        PalaverClient(sidecar.port, timeout_s=0.2)


def test_a_sidecar_that_cannot_start_says_why(tmp_path):
    with pytest.raises(PalaverError, match="did not start") as caught:
        start_sidecar(tmp_path / "nowhere")
    assert caught.value.code == "sidecar-failed"
    assert "nowhere" in caught.value.message
    assert "exit code 1" in caught.value.message


def test_a_sidecar_that_takes_too_long_is_ended(tiny_bundle):
    with pytest.raises(PalaverError, match="was not ready within 0 s") as caught:
        start_sidecar(tiny_bundle, timeout_s=0.0)
    assert caught.value.code == "timeout"


def test_a_runtime_folder_in_the_games_own_directory_is_not_taken_for_palaver(tiny_bundle, tmp_path, monkeypatch):
    decoy = tmp_path / "runtime"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise SystemExit('the wrong runtime')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar.port) as client:
        assert client.ask(MIRA, "Hello").text
