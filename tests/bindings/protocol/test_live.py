"""A live sidecar answers every vector as the protocol says, and holds the conversation that all clients hold."""

import json

import msgpack
import pytest
import zmq

from runtime import Npc, load
from runtime.client import start_sidecar
from runtime.wire import decode
from tests.talker import Talker
from tools.conversation import CONVERSATION, hold_conversation

VECTORS = json.loads((CONVERSATION.parent / "vectors.json").read_text(encoding="utf-8"))
ACCEPTED = json.loads((CONVERSATION.parent / "accepted.json").read_text(encoding="utf-8"))
REFUSED = {"bad-request", "malformed-message", "unknown-type", "message-too-large"}


@pytest.fixture(scope="module")
def sidecar():
    with start_sidecar(secret="") as started:
        yield started


@pytest.fixture
def talker(sidecar):
    with zmq.Context() as context:
        made = Talker(context, sidecar.port).hello()
        yield made
        made.socket.close()


def test_invalid_bytes_get_one_error_with_the_code_of_the_vector(talker):
    for row in VECTORS:
        if row["from"] == "client" and not row["valid"]:
            reply = talker.asks(bytes.fromhex(row["hex"]))
            assert (reply["type"], reply["code"]) == ("error", row["code"]), row["name"]
            assert set(reply) == {"type", "request", "code", "message", "hint"}
    assert talker.asks({"type": "ping", "request": 77}) == {"type": "pong", "request": 77}


def test_what_only_a_sidecar_says_is_refused_from_a_client(talker):
    for row in VECTORS:
        if row["valid"] and row["from"] == "sidecar":
            assert talker.asks(bytes.fromhex(row["hex"]))["code"] == "unknown-type", row["name"]


def test_valid_messages_are_taken_canonical_or_not(talker):
    for row in [*VECTORS, *ACCEPTED]:
        if row["from"] != "client" or not row.get("valid", True) or row["type"] in ("tick", "bye"):
            continue
        message = decode(bytes.fromhex(row["hex"]))
        talker.say(bytes.fromhex(row["hex"]))
        talker.say({"type": "cancel", "request": 78, "target": message.request})
        replies = [talker.hear()]
        while replies[-1].get("request") != 78:
            replies.append(talker.hear())
        assert not {reply.get("code") for reply in replies} & REFUSED, row["name"]
    while talker.socket.poll(0):
        talker.hear()
    # One of them gave the sidecar a tenth of a core.
    assert talker.asks({"type": "budget", "request": 79, "max_load": 1.0})["type"] == "ok"


def test_the_conversation_is_that_of_the_library_and_the_same_every_time(sidecar):
    conversation = json.loads(CONVERSATION.read_text(encoding="utf-8"))
    palaver, npcs = load(), {npc["id"]: Npc.from_mapping(npc) for npc in conversation["npcs"]}
    turns = {npc_id: [] for npc_id in npcs}
    texts = []
    for ask in conversation["asks"]:
        history = turns[ask["npc"]]
        line = palaver.ask(npcs[ask["npc"]], ask["text"], seed=ask["seed"], steps=ask["steps"], history=history)
        texts.append(line.text)
        if line.source != "fallback":
            history.append((ask["text"], line.text))
    assert len(texts) == 12 and len(set(texts)) > 6
    assert any(turns.values())
    assert [hold_conversation(sidecar.port, None) for _ in range(2)] == [texts] * 2


def test_a_line_of_the_conversation_is_canonical(talker):
    """The sidecar writes its messages as the vectors are written."""
    npc, ask = json.loads(CONVERSATION.read_text(encoding="utf-8"))["npcs"][0], "Hello"
    talker.say({"type": "ask", "request": 2, "npc": npc, "text": ask, "seed": 1, "steps": 4})
    assert talker.socket.poll(30_000)
    data = talker.socket.recv()
    model = next(row for row in VECTORS if row["name"] == "line of the model")
    assert list(msgpack.unpackb(data)) == list(msgpack.unpackb(bytes.fromhex(model["hex"])))
