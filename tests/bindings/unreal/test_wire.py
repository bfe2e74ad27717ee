"""The core against a real ROUTER of libzmq, which it knows nothing of."""

import json

import msgpack
import pytest

from runtime.wire import decode, encode
from tests.bindings.unreal.puppet import DISCONNECTED, READY, SMITH
from tests.bindings.unreal.sidecars import Router

TIMINGS = dict.fromkeys(("queue_ms", "encode_ms", "denoise_ms", "compute_ms", "total_ms"), 1.0)


COOK = {
    "id": "x",
    "name": "Ümit 田",
    "role": "cook",
    "mood": "tired",
    "language": "English",
    "secrets": ["The soup is thin."],
    "names": ["Oakvale"],
    "actions": ["serve(dish: soup|bread)"],
    "situations": {"closed": ["Come back tomorrow."], "angry": []},
    "banned": ["damn"],
    "max_sentences": 2,
    "max_chars": 200,
}


def line(request, text):
    counts = dict.fromkeys(("steps_planned", "steps_done", "canvases", "tokens", "rerolls"), 1)
    return {
        "type": "line",
        "request": request,
        "text": text,
        "source": "model",
        "finish_reason": "a reason of tomorrow",
        "seed": 3,
        **counts,
        "confidence": 0.5,
        "deterministic": True,
        "timings": TIMINGS,
    }


@pytest.fixture
def router():
    made = Router()
    yield made
    made.close()


@pytest.fixture
def game(router, puppet):
    """A game that has been welcomed by the router, with a smith put."""
    started = puppet()
    started.do("put", npc=SMITH)
    started.do("connect", port=router.port, secret="hush")
    router.receive_map("npc.put")
    started.wait("state", state=READY)
    return started


def test_what_the_client_sends_is_what_the_sidecars_own_code_would_write(router, puppet):
    game = puppet()
    game.do("put", npc=SMITH)
    game.do("put", npc=COOK)
    game.do("connect", port=router.port, secret="hush")
    sent = [router.receive() for _ in range(3)]
    game.wait("state", state=READY)
    first = game.ask("Hello")
    game.ask("¿Qué tal? 🐉", seed=2**63 - 1, steps=8, max_tokens=96, deadline_ms=600_000, draft_every_ms=0)
    game.ask("Hi", unrecorded=True)
    pinned = {"template": "Bring {*2-6}, {*=or nothing}.", "must_include": ["pelts"], "situation": "shop closed"}
    game.ask("Hi", escape=3, deadline_ms=600_000, **pinned)
    game.do("choose", npc="smith", text="Well?", options=["Yes.", "No."], deadline_ms=600_000)
    game.do("prompt", npc="smith", text="Well?")
    game.do("world", time=["It is evening."], prices=["Iron is dear."])
    game.do("summary", npc="smith", text="They met.", keep=2)
    game.do("summary", npc="smith", text="They met.")
    game.do("cancel", ask=first)
    game.do("budget", max_load=0.25, fps=30.0)
    game.do("budget", max_load=1.0, fps=60.0)
    game.do("load", npc="smith", data='{"palaver_save": 1, "npc": "smith", "turns": [["Hi", "Aye."]]}')
    game.do("forget", npc="x")
    game.do("report")
    sent += [router.receive() for _ in range(15)]
    game.do("tick", budget_ms=2)
    sent.append(router.receive())
    assert [msgpack.unpackb(data)["type"] for data in sent] == [
        *("hello", "npc.put", "npc.put", "ask", "ask", "ask", "ask", "choose", "prompt.get", "world.put"),
        *("npc.summary", "npc.summary", "cancel", "budget", "budget", "npc.load", "npc.forget", "stats", "tick"),
    ]
    for data in sent:
        assert encode(decode(data)) == data
    assert msgpack.unpackb(sent[0])["secret"] == "hush"


def test_lines_large_and_small_arrive_whole(router, game):
    for text in ("Aye.", "ü田🐉" * 50_000):
        ask = game.ask("Hello")
        router.send(line(router.receive_map("ask")["request"], text))
        told = game.wait("line", ask=ask)
        assert told["text"] == text
        assert told["finish_reason"] == "a reason of tomorrow"


def test_empty_torn_and_senseless_messages_do_no_harm(router, game):
    ask = game.ask("Hello")
    request = router.receive_map("ask")["request"]
    router.send_frames(b"")
    router.send_frames(b"two", b"frames")
    router.send_frames(b"\xc1")
    router.send_frames(b"\xdd\xff\xff\xff\xff")
    router.send_frames(msgpack.packb({"type": "song", "request": request}))
    router.send(line(request + 1000, "nobody asked"))
    router.send(line(request, "Aye."))
    router.send(line(request, "Again."))
    assert game.wait("line", ask=ask)["text"] == "Aye."
    ask = game.ask("And?")
    router.send(line(router.receive_map("ask")["request"], "No."))
    assert game.wait("line", ask=ask)["text"] == "No."
    assert sum(told["event"] == "line" for told in game.events) == 2


def test_a_message_that_is_too_large_costs_the_connection_and_nothing_else(router, game):
    ask = game.ask("Hello", seed=5)
    router.receive_map("ask")
    router.send_frames(b"\x00" * ((1 << 20) + 1))
    assert game.wait("problem")["code"] == "not-a-sidecar"
    again = router.receive_map("ask")
    assert again["seed"] == 5
    router.send(line(again["request"], "Aye."))
    assert game.wait("line", ask=ask)["text"] == "Aye."


def test_a_sidecar_that_comes_back_is_told_everything_again(router, game):
    ask = game.ask("Hello")
    router.send(line(router.receive_map("ask")["request"], "Aye."))
    game.wait("line", ask=ask)
    game.do("world", time=["It is evening."], prices=[])
    game.do("summary", npc="smith", text="They met.")
    open_ask = game.ask("What do you sell?", deadline_ms=20_000)
    router.receive_map("ask")
    router.close()
    game.wait("state", state=DISCONNECTED)
    second = Router(router.port)
    try:
        assert msgpack.unpackb(second.receive())["type"] == "hello"
        assert msgpack.unpackb(second.receive())["world"]["time"] == ["It is evening."]
        assert msgpack.unpackb(second.receive())["npc"] == SMITH
        saved = {"palaver_save": 2, "npc": "smith", "summary": "They met.", "turns": [["Hello", "Aye."]]}
        assert json.loads(msgpack.unpackb(second.receive())["data"]) == saved
        asked = msgpack.unpackb(second.receive())
        assert asked["text"] == "What do you sell?"
        assert asked["deadline_ms"] < 20_000
        second.send(line(asked["request"], "Iron."))
        assert game.wait("line", ask=open_ask)["text"] == "Iron."
    finally:
        second.close()


def test_the_deadline_holds_when_the_sidecar_is_silent(router, game):
    ask = game.ask("Hello", deadline_ms=100)
    told = game.wait("line", ask=ask)
    assert told["source"] == "fallback"
    assert told["finish_reason"] == "timeout"
    assert told["text"] in SMITH["fallbacks"]
    request = router.receive_map("ask")["request"]
    assert router.receive_map("cancel")["target"] == request
