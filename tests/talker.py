"""A client that says exactly what it is told to, in raw msgpack over a raw socket."""

import msgpack
import zmq

WAIT_MS = 30_000


class Talker:
    """A DEALER that is connected to a port on this machine; `options` are options of the socket."""

    def __init__(self, context, port, **options):
        self.socket = context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.sndtimeo = WAIT_MS
        for name, value in options.items():
            setattr(self.socket, name, value)
        self.socket.connect(f"tcp://127.0.0.1:{port}")

    def say(self, message):
        """Send a map, or bytes as they are."""
        self.socket.send(message if isinstance(message, bytes) else msgpack.packb(message))

    def hear(self, wait_ms=WAIT_MS):
        """The next message."""
        assert self.socket.poll(wait_ms), "no reply"
        return msgpack.unpackb(self.socket.recv())

    def hears_nothing(self, wait_ms=200):
        return not self.socket.poll(wait_ms)

    def asks(self, message):
        """The next message after this one was sent."""
        self.say(message)
        return self.hear()

    def hello(self, **fields):
        """Say hello and be welcomed."""
        assert self.asks({"type": "hello", "request": 1, "protocol": 1, **fields})["type"] == "welcome"
        return self

    def put(self, npc):
        """Make a character known."""
        assert self.asks({"type": "npc.put", "request": 0, "npc": npc}) == {"type": "ok", "request": 0}
        return self
