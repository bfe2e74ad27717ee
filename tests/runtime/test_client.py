"""The Python client against a real sidecar on a tiny model."""

import itertools
import json
import os
import signal
import socket
import sys
import time

import pytest

from runtime import Line, Npc, PalaverError, RequestError
from runtime.client import LinkState, PalaverClient, start_sidecar
from tests.polling import poll_for, poll_until

MIRA = Npc("smith", "Mira", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))
PETRA = Npc("innkeeper", "Petra", "innkeeper", fallbacks=("Sit down first.", "One moment!"))
UNHURRIED = {"steps": 300, "max_tokens": 30, "sampler": "reference"}
DRAGONS = ("\U0001f409" * 1000,)
SHORT = {"steps": 4, "max_tokens": 9}
LONG = {"seed": 1, "steps": 1000, "max_tokens": 2000, "sampler": "reference"}

can_stop_processes = pytest.mark.skipif(sys.platform == "win32", reason="stops the process with a signal")


@pytest.fixture(scope="module")
def sidecar(patient_bundle):
    with start_sidecar(patient_bundle) as started:
        yield started


@pytest.fixture
def client(sidecar):
    with PalaverClient(sidecar) as connected:
        yield connected


def turns_of(client, npc_id="smith"):
    return json.loads(client.save_npc(npc_id))["turns"]


def test_the_welcome_tells_of_sidecar_and_model(client):
    assert client.state is LinkState.READY
    assert client.welcome.protocol == 1
    assert client.welcome.version == "0.1.0"
    assert client.welcome.model.canvas_length == 16


def test_ask_gives_a_line(client):
    line = client.ask(MIRA, "What do you sell?", seed=7, history=[("Hello", "Aye.")], **SHORT)
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
    ended = poll_for(client, 3)
    assert [request for request, _ in ended] == requests
    assert [line.seed for _, line in ended] == [1, 2, 3]
    assert client.poll() == []


def test_poll_keeps_lines_that_came_while_another_call_waited(client):
    request = client.submit(MIRA, "Hello", seed=1)
    assert client.ask(MIRA, "Hello", seed=2).seed == 2
    assert [(ended, line.seed) for ended, line in poll_for(client, 1)] == [(request, 1)]


def test_a_cancelled_request_ends_without_a_line(client):
    request = client.submit(MIRA, "Hello", **LONG)
    assert client.cancel(request)
    assert not client.cancel(request)
    assert client.ask(MIRA, "Hello", seed=1, **SHORT).source == "model"
    assert client.poll() == []
    assert client.stats().open_asks == 0


def test_ping_measures_the_way_there_and_back_even_while_a_line_is_made(client):
    request = client.submit(MIRA, "Hello", **LONG)
    assert 0.0 < client.ping() < 1.0
    client.cancel(request)


def test_a_line_that_takes_too_long_is_made_here_and_the_ask_is_given_up(client):
    line = client.ask(PETRA, "Hello", timeout_s=0.2, **LONG)
    assert (line.source, line.finish_reason, line.seed) == ("fallback", "timeout", 1)
    assert line.text in PETRA.fallbacks
    assert line.timings.total_ms >= 200.0
    # Were the long one still running, this one would wait behind it for seconds.
    started_s = time.monotonic()
    assert client.ask(PETRA, "Hello", seed=1, **SHORT).source == "model"
    assert time.monotonic() - started_s < 2.0
    assert client.poll() == []


def test_a_deadline_a_priority_and_a_policy_go_along(client):
    older = client.submit(MIRA, "Hello", **LONG)
    line = client.ask(MIRA, "Hello", policy="replace", priority=3, deadline_ms=100, **LONG)
    assert line.seed == 1
    # With so little time fewer steps were planned than were asked for.
    assert line.steps_planned < LONG["steps"]
    ((request, replaced),) = poll_for(client, 1)
    assert (request, replaced.source, replaced.finish_reason) == (older, "fallback", "replaced")


def test_drafts_are_told_while_the_line_is_waited_for(client):
    drafts = []
    line = client.ask(MIRA, "Hello", seed=7, on_draft=drafts.append, **SHORT)
    assert [draft.steps_done for draft in drafts] == sorted({draft.steps_done for draft in drafts})
    assert drafts and drafts[-1].steps_done <= line.steps_done
    assert client.ask(MIRA, "Hello", seed=7, **SHORT).text == line.text


def test_a_game_ticks_and_polls_or_sets_a_budget(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
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
        client.set_budget(1)
        assert client.ask(MIRA, "Hello", steps=1, max_tokens=2).text


def test_an_error_of_the_sidecar_is_a_fallback_line_with_its_code(client):
    terse = Npc("smith", "Mira", "blacksmith", fallbacks=("Later.",))
    busy = client.submit(terse, "Hello", **LONG)
    line = client.ask(terse, "Hello", seed=3, policy="reject")
    assert (line.text, line.source, line.finish_reason, line.seed) == ("Later.", "fallback", "npc-busy", 3)
    # Never the same twice running, and it has no other of its own.
    assert client.ask(terse, "Hello", policy="reject").text in ("...", "Hm.")
    client.cancel(busy)


def test_a_bad_argument_is_refused_before_anything_is_sent(client):
    client.put_npc(MIRA)
    with pytest.raises(RequestError, match="steps is 0"):
        client.ask(MIRA, "Hello", steps=0)
    with pytest.raises(RequestError, match="history cannot go"):
        client.ask("smith", "Hello", history=[("Hello", "Aye.")])
    with pytest.raises(RequestError, match="no character 'nobody'") as caught:
        client.ask("nobody", "Hello")
    assert caught.value.code == "unknown-npc"
    with pytest.raises(RequestError, match="at most 1048576"):
        client.put_npc(Npc("smith", "Mira", "blacksmith", knowledge=DRAGONS * 256, fallbacks=DRAGONS * 64))
    assert client.get_npc("smith") == MIRA


def test_a_character_remembers_and_both_sides_agree_on_what(client, sidecar, connect):
    client.put_npc(MIRA)
    first = client.ask("smith", "Hello", seed=1, **SHORT)
    client.ask("smith", "Not for the record", record=False, seed=3, **SHORT)
    client.ask(MIRA, "Nor this", seed=4, **SHORT)
    second = client.ask("smith", "What do you sell?", seed=5, **SHORT)
    assert turns_of(client) == [["Hello", first.text], ["What do you sell?", second.text]]
    history = [("Hello", first.text)]
    assert client.ask(MIRA, "What do you sell?", seed=5, history=history, **SHORT).text == second.text


def test_a_saved_game_goes_on_where_it_was(client):
    client.put_npc(MIRA)
    client.ask("smith", "Hello", seed=1, **SHORT)
    saved = client.save_npc("smith")
    told = client.ask("smith", "And?", seed=5, **SHORT)
    client.submit("smith", "And then?", **LONG)
    assert client.load_npc(saved) == "smith"
    assert client.save_npc("smith") == saved
    assert client.ask("smith", "And?", seed=5, **SHORT).text == told.text
    assert client.poll() == []
    client.forget_npc("smith")
    with pytest.raises(RequestError, match="no character"):
        client.load_npc(saved)
    client.put_npc(MIRA)
    assert turns_of(client) == []


def test_a_text_that_no_client_saved_is_refused(client):
    client.put_npc(MIRA)
    with pytest.raises(RequestError) as caught:
        client.load_npc('{"palaver_save": 9}')
    assert caught.value.code == "save-version"


def test_the_secret_is_needed(sidecar):
    with pytest.raises(PalaverError) as caught:
        PalaverClient(sidecar.port)
    assert caught.value.code == "wrong-secret"
    with PalaverClient(sidecar.port, secret="guessed", wait_s=0.0) as client:
        client.put_npc(PETRA)
        line = client.ask("innkeeper", "Hello")
        assert (line.finish_reason, client.state) == ("wrong-secret", LinkState.REFUSED)
    with PalaverClient(sidecar.port, secret=sidecar.secret) as client:
        assert client.ping() < 5.0


def test_nobody_there_is_a_timeout_with_a_hint():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        with pytest.raises(PalaverError, match="did not answer") as caught:
            PalaverClient(listener.getsockname()[1], wait_s=0.3)
    assert caught.value.code == "timeout"
    assert "process" in caught.value.hint


def test_asks_from_before_the_sidecar_is_there_are_answered_when_it_is(patient_bundle):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with PalaverClient(port, secret="s", wait_s=0.0) as client:
        client.put_npc(MIRA)
        request = client.submit("smith", "Hello", seed=4, **SHORT)
        assert client.poll() == []
        assert client.state is not LinkState.READY
        with pytest.raises(PalaverError, match="not said welcome"):
            _ = client.welcome
        with start_sidecar(patient_bundle, port=port, secret="s"):
            ((ended, line),) = poll_for(client, 1)
            assert (ended, line.source, line.seed) == (request, "model", 4)
            assert turns_of(client) == [["Hello", line.text]]


def test_without_a_sidecar_every_ask_ends_with_a_line_after_its_deadline():
    with PalaverClient(1, wait_s=0.0) as client:
        client.put_npc(PETRA)
        lines = [client.ask("innkeeper", "Hello", deadline_ms=1) for _ in range(3)]
    assert {(line.source, line.finish_reason) for line in lines} == {("fallback", "unreachable")}
    assert all(line.text in PETRA.fallbacks for line in lines)
    assert all(line.text != following.text for line, following in itertools.pairwise(lines))


@can_stop_processes
def test_a_sidecar_that_hangs_is_a_timeout_and_its_asks_get_lines(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
        os.kill(sidecar.process.pid, signal.SIGSTOP)
        with pytest.raises(PalaverError, match="did not answer"):
            client.ping(timeout_s=0.3)
        line = client.ask(MIRA, "Hello", deadline_ms=50)
        assert (line.source, line.finish_reason) == ("fallback", "timeout")
        os.kill(sidecar.process.pid, signal.SIGCONT)
        assert client.ping() < 5.0


def test_an_ask_whose_sidecar_was_killed_ends_with_a_line_after_its_deadline(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(PETRA)
        request = client.submit("innkeeper", "Hello", deadline_ms=400, **LONG)
        sidecar.process.kill()
        sidecar.process.wait()
        ((ended, line),) = poll_for(client, 1)
        assert (ended, line.source, line.finish_reason) == (request, "fallback", "unreachable")
        assert line.text in PETRA.fallbacks
        assert line.timings.total_ms >= 400.0
        assert turns_of(client, "innkeeper") == []


def test_a_new_sidecar_is_told_of_characters_turns_budget_and_open_asks(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar:
        client = PalaverClient(sidecar)
        client.put_npc(MIRA)
        client.put_npc(PETRA)
        client.set_budget(1.0)
        first = client.ask("smith", "Hello", seed=1, **SHORT)
        cut_off = client.submit("smith", "And?", seed=5, **UNHURRIED)
        sidecar.process.kill()
        sidecar.process.wait()
        poll_until(client, lambda _: client.state is LinkState.DISCONNECTED, limit_s=5.0)
    with start_sidecar(patient_bundle, port=sidecar.port, secret=sidecar.secret), client:
        ((request, line),) = poll_for(client, 1)
        assert (request, line.source, line.seed) == (cut_off, "model", 5)
        assert turns_of(client) == [["Hello", first.text], ["And?", line.text]]
        assert client.stats().npcs == 2
        history = [("Hello", first.text)]
        again = client.ask(MIRA, "And?", seed=5, history=history, **UNHURRIED)
        assert again.text == line.text


def test_a_client_that_was_forgotten_introduces_itself_again(patient_bundle, connect):
    with start_sidecar(patient_bundle, secret="") as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(MIRA)
        first = client.ask("smith", "Hello", seed=1, **SHORT)
        for _ in range(1024):
            connect(sidecar.port).hello().socket.close()
        second = client.ask("smith", "And?", seed=2, **SHORT)
        assert second.source == "model"
        assert turns_of(client) == [["Hello", first.text], ["And?", second.text]]


def test_bye_ends_the_sidecar(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
        request = client.submit(MIRA, "Hello", **LONG)
        client.bye()
        ((ended, line),) = poll_for(client, 1)
        assert (ended, line.finish_reason) == (request, "shutting-down")
        assert sidecar.process.wait(5.0) == 0
