"""Bytes and connections that no honest client sends: for tests of whoever has to bear them."""

import random
import socket
import struct

import msgpack

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x26\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER\x08Identity" + bytes(4)


def hostile_frames(count, seed=0):
    """Frames for a DEALER socket: noise, msgpack noise, and messages with something wrong in them.

    Never what could be a `bye`, a `tick` or a `budget`: a client that was welcomed may end and slow a sidecar.
    """
    dice = random.Random(seed)
    while count:
        frame = dice.choice(_FRAMES)(dice)
        if not any(word in frame for word in (b"bye", b"tick", b"budget")):
            count -= 1
            yield frame


def storm(port, count, seed=0):
    """Connections to a port that say something odd, or nothing, and are gone again."""
    dice = random.Random(seed)
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", port), timeout=10.0) as connection:
            for part in dice.choice(_CONVERSATIONS)(dice):
                try:
                    connection.sendall(part)
                # The other side may well have hung up by now.
                except OSError:
                    break
            if dice.random() < 0.5:
                # Ends with a reset instead of a farewell.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def zmtp_frame(body, *, command=False, more=False):
    """A frame as it stands on the wire."""
    flags = (4 if command else 0) | (1 if more else 0)
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + struct.pack(">Q", len(body)) + body


def _noise(dice):
    return dice.randbytes(dice.randrange(0, 200))


def _plain(dice, depth=0):
    kind = dice.randrange(9 if depth < 20 else 7)
    if kind == 7:
        return [_plain(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 8:
        return {dice.choice(_KEYS): _plain(dice, depth + 1) for _ in range(dice.randrange(4))}
    text = "".join(chr(dice.choice([dice.randrange(1, 0x80), dice.randrange(0x4E00, 0x9FFF)])) for _ in range(8))
    numbers = (dice.randrange(-(1 << 63), 1 << 64), dice.uniform(-1e9, 1e9), float("nan"))
    return [None, dice.random() < 0.5, *numbers, text, dice.choice(_TYPES)][kind]


def _any_map(dice):
    return msgpack.packb({"type": dice.choice(_TYPES), **{key: _plain(dice) for key in dice.sample(_KEYS, 4)}})


def _damaged_message(dice):
    data = bytearray(msgpack.packb(dice.choice(_MESSAGES)))
    for _ in range(dice.randrange(1, 5)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data[: dice.randrange(len(data) + 1)])


def _deep(dice):
    return dice.choice([b"\x91", b"\x81\xa1a"]) * dice.randrange(1, 3000)


def _claims_much(dice):
    return b"\x82\xa4type\xa4ping\xa1x" + dice.choice([b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9"]) + b"\xff" * 4


def _large(dice):
    return b"\x81\xa1x" + msgpack.packb("x" * dice.randrange(1 << 12, 1 << 15))


_TYPES = ("hello", "ping", "stats", "npc.put", "npc.get", "npc.load", "npc.save", "ask", "cancel", "line", "welcome")
_KEYS = ("type", "request", "npc", "text", "id", "data", "protocol", "secret", "seed", "steps", "policy", "target")
_MESSAGES = (
    {"type": "hello", "request": 1, "protocol": 1, "secret": "guess", "client": "a game"},
    {"type": "ask", "request": 2, "npc": {"id": "a", "name": "b", "role": "c"}, "text": "Hello", "seed": 5, "steps": 2},
    {"type": "npc.load", "request": 3, "data": '{"palaver_save": 1, "npc": "a", "turns": [["Hello", "Aye."]]}'},
    {"type": "npc.put", "request": 4, "npc": {"id": "a", "name": "b", "role": "c", "knowledge": ["d"]}},
)
_FRAMES = (_noise, _noise, _any_map, _any_map, _damaged_message, _damaged_message, _deep, _claims_much, _large)

_CONVERSATIONS = (
    lambda dice: [],
    lambda dice: [_noise(dice)],
    lambda dice: [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    lambda dice: [GREETING[: dice.randrange(1, 64)]],
    lambda dice: [GREETING],
    lambda dice: [GREETING, READY],
    lambda dice: [GREETING, READY[: dice.randrange(1, len(READY))]],
    lambda dice: [GREETING, zmtp_frame(_noise(dice), command=True)],
    lambda dice: [GREETING.replace(b"NULL", b"CURV"), READY],
    lambda dice: [GREETING, READY.replace(b"DEALER", b"ROUTER")],
    lambda dice: [GREETING, READY, *(zmtp_frame(frame) for frame in hostile_frames(5, dice.random()))],
    lambda dice: [GREETING, READY, zmtp_frame(b"", more=True) * 20],
    lambda dice: [GREETING, READY, b"\x02" + b"\xff" * 8],
    lambda dice: [GREETING, READY, b"\x02" + struct.pack(">Q", 1 << 30) + b"x" * 1000],
    lambda dice: [GREETING, READY, zmtp_frame(b"\x04PING" + bytes(2) + _noise(dice), command=True) * 5],
    lambda dice: [GREETING, READY, zmtp_frame(msgpack.packb(_MESSAGES[1]))[:-3]],
    lambda dice: [GREETING + READY + zmtp_frame(_damaged_message(dice)) * 3],
)
