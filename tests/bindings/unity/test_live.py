"""The C# client and a real sidecar with the pocket model."""

import json

import msgpack
import pytest
import zmq

from tests.bindings.unity.conftest import PROTOCOL, TESTS, CSharp, sources


def conversation_over_zeromq(sidecar):
    """The answers to bindings/protocol/conversation.json, asked with nothing but ZeroMQ and MessagePack."""
    conversation = json.loads((PROTOCOL / "conversation.json").read_text(encoding="utf-8"))
    hello = {"type": "hello", "protocol": 1, "secret": sidecar.env["PALAVER_SECRET"]}
    puts = [{"type": "npc.put", "npc": npc} for npc in conversation["npcs"]]
    asks = [{"type": "ask", **ask} for ask in conversation["asks"]]
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger, socket.rcvtimeo = 0, 30_000
        socket.connect(f"tcp://127.0.0.1:{sidecar.port}")
        replies = []
        for request, message in enumerate([hello, *puts, *asks]):
            socket.send(msgpack.packb(message | {"request": request}))
            replies.append(msgpack.unpackb(socket.recv()))
    return [reply["text"] for reply in replies[-len(asks) :]]


def test_the_conversation_has_the_same_texts_in_every_client(mono, core_sources, live_sidecar, tmp_path):
    program = tmp_path / "conversation.exe"
    mono.compile([*sources(TESTS / "conversation"), *core_sources], program)
    printed = CSharp(mono, program).check(live_sidecar.port, env=live_sidecar.env)
    texts = [json.loads(line) for line in printed.splitlines()]
    assert texts == conversation_over_zeromq(live_sidecar)
    assert len(set(texts)) > len(texts) // 2


@pytest.mark.parametrize(
    "test",
    [
        "ALineComesWithDraftsAndAgainFromItsSeed",
        "ACancelledAskLeavesRoomForTheNext",
        "WhatWasSaidIsPartOfTheNextPrompt",
        "TwoClientsKnowNothingOfEachOther",
        "APromptThatIsTooLongIsTold",
        # Last: ticks and budgets are the whole sidecar's.
        "ComputeHappensInsideTicksOnly",
    ],
)
def test_a_client_and_its_sidecar(csharp, live_sidecar, test):
    csharp.check(f"LiveTests.{test}", live_sidecar.port, env=live_sidecar.env)
