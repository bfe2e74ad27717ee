"""A sidecar that a test plays: a real ROUTER that answers as the protocol says, unless the test's script says other."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import msgpack
import zmq

WELCOME = {
    "protocol": 1,
    "version": "0.1.0",
    "state": "ready",
    "model": {"name": "pocket", "canvas_length": 32, "licence": "Apache-2.0"},
}
REPORT = {
    "state": "ready",
    "load_progress": 1.0,
    "uptime_s": 1.0,
    "open_asks": 0,
    "clients": 1,
    "npcs": 1,
    "lines_model": 0,
    "lines_draft": 0,
    "lines_fallback": 0,
    "errors": 0,
    "memory_mb": 1.0,
    "step_ms": 0.0,
}
TIMINGS = {"queue_ms": 0.0, "encode_ms": 1.0, "denoise_ms": 2.0, "compute_ms": 3.0, "total_ms": 4.0}

# What a script answers: maps, raw bytes, or lists of bytes for a message of several frames; None for the usual answer.
Script = Callable[[dict[str, Any]], list[Any] | None]


def line(ask: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """The line that answers an ask: its text and " indeed", unless another is given."""
    return {
        "type": "line",
        "request": ask["request"],
        "text": f"{ask['text']} indeed" if text is None else text,
        "source": "model",
        "finish_reason": "stop",
        "seed": ask.get("seed", 1),
        "steps_planned": 8,
        "steps_done": 8,
        "canvases": 1,
        "tokens": 4,
        "rerolls": 0,
        "confidence": 0.5,
        "deterministic": True,
        "timings": TIMINGS,
    }


def draft(ask: dict[str, Any], text: str) -> dict[str, Any]:
    return {
        "type": "draft",
        "request": ask["request"],
        "text": text,
        "stable_chars": 0,
        "steps_done": 1,
        "steps_planned": 8,
    }


def choice(choose: dict[str, Any], index: int) -> dict[str, Any]:
    """The choice that answers a choose: sure of one option."""
    return {
        "type": "choice",
        "request": choose["request"],
        "index": index,
        "probabilities": [float(at == index) for at in range(len(choose["options"]))],
        "source": "model",
        "finish_reason": "stop",
        "timings": TIMINGS,
    }


def error(message: dict[str, Any] | None, code: str) -> dict[str, Any]:
    request = None if message is None else message["request"]
    return {"type": "error", "request": request, "code": code, "message": f"it is {code}", "hint": ""}


class ScriptedSidecar:
    """Answers in a thread of its own until it is closed.

    Attributes:
        port: where it listens.
        received: the messages that came, decoded, in order.
    """

    def __init__(self, script: Script) -> None:
        self.received: list[dict[str, Any]] = []
        self._script = script
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.linger = 0
        self.port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self._rebind = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def __enter__(self) -> "ScriptedSidecar":
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()
        self._socket.close()
        self._context.term()

    def types(self) -> list[str]:
        """The types of what came, without pings."""
        return [message["type"] for message in self.received if message["type"] != "ping"]

    def restart(self) -> None:
        """Drop all connections before the next message is taken, and listen at the same port again."""
        self._rebind.set()

    def _serve(self) -> None:
        while not self._closed.is_set():
            if self._rebind.is_set():
                self._rebind.clear()
                self._listen_again()
            if self._socket.poll(20):
                client, data = self._socket.recv_multipart()
                message = msgpack.unpackb(data)
                self.received.append(message)
                for answer in self._answers(message):
                    self._socket.send_multipart([client, *_frames(answer)])

    def _listen_again(self) -> None:
        self._socket.close()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.linger = 0
        # A closed socket gives its port back a little later, in ZeroMQ's own thread.
        while not self._closed.wait(0.005):
            with contextlib.suppress(zmq.ZMQError):
                self._socket.bind(f"tcp://127.0.0.1:{self.port}")
                return

    def _answers(self, message: dict[str, Any]) -> list[Any]:
        answers = self._script(message)
        if answers is not None:
            return answers
        kind = message["type"]
        if kind == "ask":
            return [line(message)]
        if kind == "tick":
            return []
        if kind == "hello":
            return [{"type": "welcome", "request": message["request"], **WELCOME}]
        if kind == "stats":
            return [{"type": "report", "request": message["request"], **REPORT}]
        if kind == "cancel":
            found = {"type": "cancelled", "request": message["request"], "target": message["target"], "found": False}
            return [found]
        return [{"type": "pong" if kind == "ping" else "ok", "request": message["request"]}]


def _frames(answer: Any) -> list[bytes]:
    if isinstance(answer, dict):
        return [msgpack.packb(answer)]
    return answer if isinstance(answer, list) else [answer]
