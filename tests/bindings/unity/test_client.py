"""The C# client against real ZeroMQ: each test plays the sidecar for one test in ClientTests.cs."""

import json
import socket
import threading
from contextlib import contextmanager

import msgpack
import pytest

from tests.bindings.unity.scripted import REPORT, WELCOME, ScriptedSidecar, draft, error, line


def of_type(sidecar, kind):
    return [message for message in sidecar.received if message["type"] == kind]


def usual(message):
    return None


def test_asks_from_before_the_welcome_are_sent_after_it(csharp):
    with ScriptedSidecar(usual) as sidecar:
        csharp.check("ClientTests.AsksFromBeforeTheWelcomeAreSentAfterIt", sidecar.port)
    assert sidecar.types() == ["hello", "budget", "npc.put", "npc.put", "ask", "ask", "ask"]
    hello = sidecar.received[0]
    assert list(hello) == ["type", "request", "protocol", "secret", "client"]
    assert (hello["protocol"], hello["secret"], hello["client"]) == (1, "open sesame", "palaver-unity")
    first, second, third = of_type(sidecar, "ask")
    assert (first["npc"], first["text"], first["seed"]) == ("smith", "One?", 7)
    # What is left of it: counted from the ask, not from the welcome.
    assert 0 < first["deadline_ms"] <= 60000
    assert (second["npc"], second["record"]) == ("guard", False)
    assert third["npc"]["name"] == "Borin" and third["history"] == [["Hi", "Aye."]]
    assert len({message["request"] for message in sidecar.received}) == 7


def test_every_error_ends_in_a_fallback_line(csharp):
    with ScriptedSidecar(lambda message: [error(message, "busy")] if message["type"] == "ask" else None) as sidecar:
        csharp.check("ClientTests.EveryErrorEndsInAFallbackLine", sidecar.port)


def test_silence_ends_in_a_fallback_line(csharp):
    with ScriptedSidecar(lambda message: [] if message["type"] == "ask" else None) as sidecar:
        csharp.check("ClientTests.SilenceEndsInAFallbackLine", sidecar.port)
    targets = [message["target"] for message in of_type(sidecar, "cancel")]
    assert targets == [message["request"] for message in of_type(sidecar, "ask")]


def test_nobody_there_ends_in_a_fallback_line_too(csharp):
    with socket.socket() as closed:
        # Bound and never listening: nobody else gets the port meanwhile.
        closed.bind(("127.0.0.1", 0))
        csharp.check("ClientTests.NobodyThereEndsInAFallbackLineToo", closed.getsockname()[1])


def test_silence_of_the_connection_is_noticed(csharp):
    with ScriptedSidecar(lambda message: [] if message["type"] == "ping" else None) as sidecar:
        csharp.check("ClientTests.SilenceOfTheConnectionIsNoticed", sidecar.port)
    # Two pings, 2 and 4 s after the last that was heard; then the connection is given up and made anew.
    first_life = [message["type"] for message in sidecar.received]
    assert first_life[:5] == ["hello", "npc.put", "ping", "ping", "hello"]


def test_late_lines_stay_in_both_memories(csharp):
    open_asks = {}

    def script(message):
        if message["type"] == "ask":
            open_asks[message["request"]] = message
            return []
        if message["type"] == "cancel":
            # It was made before the cancel was read: the sidecar has remembered it.
            return [line(open_asks[message["target"]])]
        return None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.LateLinesStayInBothMemories", sidecar.port)
    assert sidecar.types() == ["hello", "npc.put", "ask", "cancel", "ask", "cancel", "npc.load", "stats"]
    assert json.loads(of_type(sidecar, "npc.load")[0]["data"])["turns"] == [["Old", "Times."]]


def test_nonsense_is_passed_over(csharp):
    def script(message):
        if message["type"] != "ask":
            return None
        nonsense = [
            b"",
            b"\xc1",
            [b"two", b"frames"],
            bytes(1 << 20),
            {"type": "whisper", "request": 1},
            {"type": "line", "request": message["request"]},
            line({"request": 999, "text": "of nobody"}),
            {"type": "welcome", "request": 998, **WELCOME},
        ]
        return [*nonsense, line(message)]

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.NonsenseIsPassedOver", sidecar.port)


def test_a_flood_is_taken_in_pieces(csharp):
    def script(message):
        return [error(None, "internal")] * 300 + [line(message)] if message["type"] == "ask" else None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.AFloodIsTakenInPieces", sidecar.port)


def test_a_forgotten_client_starts_over(csharp):
    asked = []

    def script(message):
        if message["type"] == "ask":
            asked.append(message)
            return [error(message, "hello-first")] if len(asked) <= 2 else None
        return None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.AForgottenClientStartsOver", sidecar.port)
    assert sidecar.types() == ["hello", "npc.put", "ask", "ask", "hello", "npc.put", "ask", "ask"]
    assert asked[:2] == asked[2:]


def test_a_wrong_secret_is_tried_once(csharp):
    with ScriptedSidecar(lambda message: [error(message, "wrong-secret")]) as sidecar:
        csharp.check("ClientTests.AWrongSecretIsTriedOnce", sidecar.port)
    assert sidecar.types() == ["hello"]


def test_a_lost_connection_is_made_anew(csharp):
    asked = []

    def script(message):
        if message["type"] != "ask":
            return None
        asked.append(message)
        if len(asked) == 2:
            sidecar.restart()
            return []
        return None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.ALostConnectionIsMadeAnew", sidecar.port)
    assert sidecar.types() == ["hello", "npc.put", "ask", "ask", "hello", "npc.put", "npc.load", "ask"]
    assert json.loads(of_type(sidecar, "npc.load")[0]["data"])["turns"] == [["One?", "One? indeed"]]
    lost, again = asked[1:]
    assert (again["request"], again["seed"], again["text"]) == (lost["request"], 9, "Two?")
    assert again["deadline_ms"] < lost["deadline_ms"]


def test_handlers_may_do_anything(csharp):
    def script(message):
        if message["type"] == "ask" and message["text"] == "Never mind":
            return []
        return [draft(message, "Hel"), line(message)] if message["type"] == "ask" else None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ClientTests.HandlersMayDoAnything", sidecar.port)


def greeting():
    return b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)


READY = b"\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06ROUTER"


def frame(message):
    body = msgpack.packb(message)
    return b"\x02" + len(body).to_bytes(8, "big") + body


@contextmanager
def bare_peer(serve):
    """A peer without ZeroMQ, for what ZeroMQ never does: `serve` gets the connection behind handshake and welcome."""

    def run():
        connection, _ = listener.accept()
        with connection:
            for byte in greeting() + READY:
                connection.sendall(bytes([byte]))
            hello = read_message(connection, "hello")
            connection.sendall(frame({"type": "welcome", "request": hello["request"], **WELCOME}))
            serve(connection)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            thread.join()


def read_until(connection, wanted):
    data = b""
    while wanted not in data:
        piece = connection.recv(4096)
        assert piece
        data += piece
    return data


def read_message(connection, kind):
    """The first message of this type, in whatever comes."""
    start = msgpack.packb("type") + msgpack.packb(kind)
    data = read_until(connection, start)
    unpacker = msgpack.Unpacker()
    # One byte before it stands the head of the map.
    unpacker.feed(data[data.index(start) - 1 :])
    return unpacker.unpack()


def test_zmtp_pings_are_answered_and_other_commands_ignored(csharp):
    def serve(connection):
        stats = read_message(connection, "stats")
        connection.sendall(b"\x04\x0a\x04PING\0\x0actx" + b"\x04\x06\x05OTHER" + b"\x04\x05\x04PING")
        assert b"\x04\x08\x04PONGctx" in read_until(connection, b"PONGctx")
        connection.sendall(frame({"type": "report", "request": stats["request"], **REPORT}))

    with bare_peer(serve) as port:
        csharp.check("ClientTests.CommandsAreObeyed", port)


def test_a_sidecar_that_does_not_read_blocks_nothing(csharp):
    ended = threading.Event()
    with bare_peer(lambda connection: ended.wait()) as port:
        try:
            csharp.check("ClientTests.ASidecarThatDoesNotReadBlocksNothing", port)
        finally:
            ended.set()


@pytest.mark.parametrize("test", ["AFrameWithoutNewsAllocatesNothing", "ATalkingFrameAllocatesItsText"])
def test_what_a_frame_allocates(csharp, test):
    text = "The iron sword costs 40 gold, the shield."

    def script(message):
        return [draft(message, text)] * 20 + [line(message, text)] if message["type"] == "ask" else None

    with ScriptedSidecar(script) as sidecar:
        print(csharp.check(f"CostTests.{test}", sidecar.port))
