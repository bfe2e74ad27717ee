"""A real sidecar process on a real (tiny, random) model, spoken to in raw msgpack over a raw socket."""

import json
import random
import time
from pathlib import Path

import msgpack
import pytest

from runtime import Npc, load
from runtime.bundle import load_bundle
from runtime.client import start_sidecar
from runtime.line import Line, Timings
from runtime.messages import CLIENT_MESSAGES, LineReply
from runtime.wire import encode

PROTOCOL = Path(__file__).resolve().parents[2] / "bindings" / "protocol"
MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith", "knowledge": ["The iron sword costs 40 gold."]}
ASK = {"type": "ask", "npc": MIRA, "text": "What do you sell?"}
# A thousand steps at least, for which even the tiny model needs a second or more.
LONG_ASK = ASK | {"steps": 1000, "max_tokens": 2000, "seed": 1, "sampler": "reference"}


@pytest.fixture(scope="module")
def sidecar(patient_bundle):
    with start_sidecar(patient_bundle, secret="") as started:
        yield started


@pytest.fixture
def newcomer(connect, sidecar):
    """Makes clients that have not said hello."""
    return lambda port=sidecar.port, **options: connect(port, **options)


@pytest.fixture
def talker(newcomer):
    return newcomer().hello()


def cancel_all(talker, requests):
    """Cancel asks, and check that each of them ends, once, as cancelled."""
    for request in requests:
        talker.say({"type": "cancel", "request": 10_000 + request, "target": request})
    replies = [talker.hear() for _ in range(2 * len(requests))]
    ends = [reply["request"] for reply in replies if reply["type"] == "error" and reply["code"] == "cancelled"]
    assert ends == list(requests)
    assert all(reply["found"] for reply in replies if reply["type"] == "cancelled")


def test_hello_is_answered_with_facts(newcomer, patient_bundle):
    newcomer().hello().asks(ASK | {"request": 2})
    assert newcomer().asks({"type": "hello", "request": 5, "protocol": 1, "engine": "Godot"}) == {
        "type": "welcome",
        "request": 5,
        "protocol": 1,
        "version": "0.1.0",
        "state": "ready",
        "model": {"name": load_bundle(patient_bundle).manifest.name, "canvas_length": 16, "licence": "Apache-2.0"},
    }


def test_an_ask_is_answered_with_a_line(talker):
    reply = talker.asks(ASK | {"request": 2, "seed": 7, "max_tokens": 9})
    assert reply["type"] == "line"
    assert reply["request"] == 2
    assert reply["seed"] == 7
    assert reply["text"]
    assert 1 <= reply["tokens"] <= 9
    assert reply["finish_reason"] in ("stop", "max_tokens")
    assert reply["timings"]["total_ms"] >= reply["timings"]["denoise_ms"] > 0.0


def test_without_a_seed_every_answer_has_one_of_its_own(talker):
    replies = [talker.asks(ASK | {"request": request, "seed": None}) for request in (2, 3)]
    assert replies[0]["seed"] != replies[1]["seed"]
    again = talker.asks(ASK | {"request": 4, "seed": replies[0]["seed"]})
    assert again["text"] == replies[0]["text"]


def test_the_same_seed_gives_the_same_text_in_two_processes_and_in_this_one(talker, newcomer, patient_bundle):
    seeds = (7, 8, 9)
    first = [talker.asks(ASK | {"request": seed, "seed": seed})["text"] for seed in seeds]
    assert len(set(first)) == len(seeds)
    with start_sidecar(patient_bundle, secret="") as other:
        fresh = newcomer(other.port).hello()
        assert [fresh.asks(ASK | {"request": seed, "seed": seed})["text"] for seed in reversed(seeds)] == first[::-1]
    palaver = load(patient_bundle)
    assert [palaver.ask(Npc.from_mapping(MIRA), ASK["text"], seed=seed).text for seed in seeds] == first


def test_asks_are_answered_in_their_order_and_two_clients_apart(newcomer):
    one, two = newcomer().hello(), newcomer().hello()
    for request in range(10, 14):
        one.say(ASK | {"request": request, "seed": request})
        two.say(ASK | {"request": request, "seed": request + 100})
    heard = [(talker.hear(), talker.hear(), talker.hear(), talker.hear()) for talker in (one, two)]
    assert [[reply["request"] for reply in replies] for replies in heard] == [[10, 11, 12, 13]] * 2
    assert [[reply["seed"] for reply in replies] for replies in heard] == [[10, 11, 12, 13], [110, 111, 112, 113]]


def test_ping_and_cancel_do_not_wait_for_a_line(talker):
    talker.say(LONG_ASK | {"request": 2})
    assert talker.asks({"type": "ping", "request": 3}) == {"type": "pong", "request": 3}
    assert talker.asks({"type": "cancel", "request": 4, "target": 2}) == {
        "type": "cancelled",
        "request": 4,
        "target": 2,
        "found": True,
    }
    end = talker.hear()
    assert (end["type"], end["request"], end["code"]) == ("error", 2, "cancelled")
    assert talker.asks({"type": "cancel", "request": 5, "target": 2})["found"] is False
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_a_waiting_ask_can_be_cancelled_while_another_runs(talker):
    talker.say(LONG_ASK | {"request": 2})
    talker.say(ASK | {"request": 3})
    cancel_all(talker, [3])
    cancel_all(talker, [2])


def test_nobody_can_cancel_another_clients_ask(talker, newcomer):
    talker.say(LONG_ASK | {"request": 2})
    assert newcomer().hello().asks({"type": "cancel", "request": 1, "target": 2})["found"] is False
    cancel_all(talker, [2])


def test_nothing_but_ping_is_answered_before_hello(newcomer):
    stranger = newcomer()
    assert stranger.asks({"type": "ping", "request": 1})["type"] == "pong"
    vectors = json.loads((PROTOCOL / "vectors.json").read_text(encoding="utf-8"))
    others = [
        row for row in vectors if row["from"] == "client" and row["valid"] and row["type"] not in ("hello", "ping")
    ]
    assert {row["type"] for row in others} == set(CLIENT_MESSAGES) - {"hello", "ping"}
    assert {stranger.asks(bytes.fromhex(row["hex"]))["code"] for row in others} == {"hello-first"}


def test_clients_that_were_not_heard_of_for_long_are_forgotten_and_may_say_hello_again(talker, newcomer):
    forgotten = newcomer().hello()
    for count in range(1024):
        passer_by = newcomer().hello()
        passer_by.socket.close()
        if count == 500:
            # Whoever asks is remembered for longer than those who came after.
            assert talker.asks(ASK | {"request": 2})["type"] == "line"
    assert forgotten.asks(ASK | {"request": 2})["code"] == "hello-first"
    assert forgotten.hello().asks(ASK | {"request": 2})["type"] == "line"
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_another_protocol_is_refused_naming_both(newcomer):
    talker = newcomer()
    reply = talker.asks({"type": "hello", "request": 1, "protocol": 99})
    assert (reply["type"], reply["request"], reply["code"]) == ("error", 1, "protocol-version")
    assert "protocol 1" in reply["message"] and "protocol 99" in reply["message"]
    assert talker.asks(ASK | {"request": 2})["code"] == "hello-first"


@pytest.mark.parametrize("message", [{"type": "pong", "request": 3}, {"type": "shout", "request": 3}])
def test_what_only_a_sidecar_says_or_nobody_is_an_error(talker, message):
    reply = talker.asks(message)
    assert (reply["type"], reply["request"], reply["code"]) == ("error", 3, "unknown-type")


@pytest.mark.parametrize(
    ("message", "request_id", "code"),
    [
        (b"", None, "malformed-message"),
        (b"\xc1", None, "malformed-message"),
        (b"\x91" * 10_000, None, "malformed-message"),
        (b"\xdf\xff\xff\xff\xff", None, "malformed-message"),
        (msgpack.packb([ASK]), None, "malformed-message"),
        (bytes((1 << 20) + 1), None, "message-too-large"),
        ({"type": "ask", "request": 6}, 6, "bad-request"),
        (ASK | {"request": 6, "text": 5}, 6, "bad-request"),
        (ASK | {"request": 6, "npc": {}}, 6, "bad-request"),
        (ASK | {"request": 6, "seed": -1}, 6, "bad-request"),
        (ASK | {"request": 6, "text": "<|user>"}, 6, "bad-request"),
        (ASK | {"request": -6}, None, "bad-request"),
        (ASK | {"request": "6"}, None, "bad-request"),
    ],
    ids=lambda value: (str(value) if not isinstance(value, bytes) else value[:6].hex())[:30],
)
def test_every_bad_message_gets_one_error_and_does_no_harm(talker, message, request_id, code):
    reply = talker.asks(message)
    assert (reply["type"], reply["request"], reply["code"]) == ("error", request_id, code)
    assert reply["message"] and reply["hint"]
    assert talker.asks({"type": "ping", "request": 7}) == {"type": "pong", "request": 7}


def test_a_message_of_several_frames_is_an_error(talker):
    talker.socket.send_multipart([b"", msgpack.packb({"type": "ping", "request": 1})])
    reply = talker.hear()
    assert (reply["request"], reply["code"]) == (None, "malformed-message")
    assert "2 frames" in reply["message"]


def test_five_hundred_random_frames_get_five_hundred_errors(talker):
    dice = random.Random(0)
    for _ in range(500):
        talker.say(dice.randbytes(dice.randrange(0, 300)))
    assert {talker.hear()["code"] for _ in range(500)} == {"malformed-message"}
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_a_client_that_sends_far_too_much_loses_its_connection_and_nobody_else_does(talker, newcomer):
    giant = newcomer(reconnect_ivl=-1).hello()
    giant.say(bytes(3 << 20))
    # A message that is only a little too large gets an error instead, see above.
    assert not giant.socket.poll(300)
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_an_open_request_id_is_not_taken_twice(talker):
    talker.say(LONG_ASK | {"request": 2})
    reply = talker.asks(ASK | {"request": 2})
    # An error that named request 2 would end the first ask for its client.
    assert (reply["request"], reply["code"]) == (None, "duplicate-request")
    assert "request 2" in reply["message"]
    reply = talker.asks({"type": "shout", "request": 2})
    assert (reply["request"], reply["code"]) == (None, "unknown-type")
    cancel_all(talker, [2])


def test_more_asks_than_the_limit_are_told_that_it_is_busy(talker, newcomer):
    for request in range(100, 164):
        talker.say(LONG_ASK | {"request": request})
    for someone in (talker, newcomer().hello()):
        reply = someone.asks(ASK | {"request": 2})
        assert (reply["request"], reply["code"]) == (2, "busy")
    cancel_all(talker, range(100, 164))
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_the_asks_of_a_client_that_went_away_are_given_up(talker, newcomer):
    leaver = newcomer().hello()
    leaver.say(ASK | {"request": 2, "steps": 1, "max_tokens": 1})
    for request in range(3, 50):
        leaver.say(LONG_ASK | {"request": request})
    leaver.socket.close(linger=1000)
    started_s = time.monotonic()
    # All of the leaver's asks stand before this one, some minutes of work.
    assert talker.asks(ASK | {"request": 2})["type"] == "line"
    assert time.monotonic() - started_s < 15.0


def test_a_client_that_does_not_read_stops_nobody_else(talker, newcomer):
    deaf = newcomer(rcvhwm=1, rcvbuf=4096)
    # The refusal repeats some of the wrong value, so the replies fill whatever buffers there are.
    line = Line("", "model", "x" * 3000, 0, 0, 0, 0, 0, 0, 0.0, True, Timings(0.0, 0.0, 0.0, 0.0, 0.0))
    bulky = encode(LineReply(1, line))
    for _ in range(5_000):
        deaf.say(bulky)
    assert talker.asks(ASK | {"request": 2})["type"] == "line"


def test_a_line_with_a_deadline_is_there_in_time_whatever_else_runs(talker):
    talker.say(LONG_ASK | {"request": 2, "npc": MIRA | {"id": "other"}})
    talker.say(LONG_ASK | {"request": 3, "deadline_ms": 150})
    line = talker.hear()
    assert (line["type"], line["request"]) == ("line", 3)
    assert line["steps_planned"] < LONG_ASK["steps"] and line["text"]
    # A share of one core of a busy machine: the limit shows a deadline that is ignored, not a slow step.
    assert line["timings"]["total_ms"] < 1500.0
    cancel_all(talker, [2])


def test_a_newer_ask_may_replace_an_older_one_of_the_same_character(talker):
    talker.say(LONG_ASK | {"request": 2})
    talker.say(ASK | {"request": 3, "policy": "replace"})
    ends = [talker.hear(), talker.hear()]
    assert [(end["request"], end.get("code", "line")) for end in ends] == [(2, "replaced"), (3, "line")]


def test_two_clients_may_have_a_character_of_the_same_name(talker, newcomer):
    talker.say(LONG_ASK | {"request": 2})
    assert newcomer().hello().asks(ASK | {"request": 3, "policy": "replace", "priority": 1})["type"] == "line"
    cancel_all(talker, [2])


def test_drafts_come_before_the_line_if_they_are_wanted(talker):
    talker.say(ASK | {"request": 2, "seed": 1, "steps": 6, "max_tokens": 9, "draft_every_ms": 0})
    heard = [talker.hear()]
    while heard[-1]["type"] == "draft":
        heard.append(talker.hear())
    *drafts, line = heard
    assert (line["type"], line["request"]) == ("line", 2)
    assert len(drafts) >= line["steps_done"] - 1 - line["rerolls"]
    assert all(draft["request"] == 2 and 0 <= draft["stable_chars"] <= len(draft["text"]) for draft in drafts)
    assert all(0 < draft["steps_done"] <= line["steps_done"] for draft in drafts)


@pytest.fixture
def limited(patient_bundle, newcomer):
    """A client of a sidecar of its own, whose frame budget it may set."""
    with start_sidecar(patient_bundle, secret="") as own:
        yield newcomer(own.port).hello()


def test_from_the_first_tick_on_compute_needs_ticks(limited):
    limited.say({"type": "tick", "frame": 1, "budget_ms": 0})
    limited.say(ASK | {"request": 2, "steps": 1, "max_tokens": 2})
    assert not limited.socket.poll(300)
    for frame in range(2, 3000):
        limited.say({"type": "tick", "frame": frame, "budget_ms": 4.0})
        if limited.socket.poll(5):
            break
    assert limited.hear()["request"] == 2
    # While no tick comes a deadline still ends its ask.
    limited.say(LONG_ASK | {"request": 3, "deadline_ms": 200})
    assert limited.hear()["finish_reason"] == "deadline"


def test_a_share_of_a_core_is_kept_and_ends_the_need_for_ticks(limited):
    limited.say({"type": "tick", "frame": 1, "budget_ms": 0})
    assert limited.asks({"type": "budget", "request": 2, "max_load": 0.2, "fps": 60}) == {"type": "ok", "request": 2}
    line = limited.asks(ASK | {"request": 3, "steps": 8, "max_tokens": 16, "seed": 1})
    timings = line["timings"]
    assert timings["compute_ms"] < 0.4 * timings["total_ms"]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"type": "tick", "frame": 1, "budget_ms": -1}, "budget_ms is -1"),
        ({"type": "tick", "frame": 1, "budget_ms": float("nan")}, "budget_ms is nan"),
        ({"type": "tick", "frame": -1, "budget_ms": 1}, "frame is -1"),
        ({"type": "budget", "request": 5, "max_load": 0.0}, "max_load is 0.0"),
        ({"type": "budget", "request": 5, "max_load": 1.5}, "max_load is 1.5"),
        ({"type": "budget", "request": 5, "max_load": 0.5, "fps": 0}, "fps is 0"),
    ],
)
def test_a_budget_out_of_range_is_refused(talker, message, named):
    reply = talker.asks(message)
    assert (reply["type"], reply["code"], reply["request"]) == ("error", "bad-request", message.get("request"))
    assert named in reply["message"]


def test_only_who_has_said_hello_may_set_the_budget(newcomer):
    stranger = newcomer()
    assert stranger.asks({"type": "tick", "frame": 1, "budget_ms": 1})["code"] == "hello-first"
    assert stranger.asks({"type": "budget", "request": 2, "max_load": 0.5})["code"] == "hello-first"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the process's CPU time from /proc")
def test_nothing_runs_while_there_is_nothing_to_do(talker, sidecar):
    def cpu_ticks():
        fields = Path(f"/proc/{sidecar.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    assert talker.asks(ASK | {"request": 2})["type"] == "line"
    before = cpu_ticks()
    time.sleep(2.0)
    # A tick is 10 ms; a loop that polled would use far more.
    assert cpu_ticks() - before <= 1
