"""A sidecar that misbehaves on request: a real ROUTER that does what the text of an ask says.

The real sidecar never loses a line, sends garbage or keeps quiet, so it cannot show what a client makes of that.
"""

import threading
from typing import Any, Self

import msgpack
import zmq

SECRET = "open sesame"
POLL_MS = 20
MODEL = {"name": "odd", "canvas_length": 16, "licence": "none"}
LINE = {
    "source": "model",
    "finish_reason": "stop",
    "seed": 7,
    "steps_planned": 8,
    "steps_done": 5,
    "canvases": 1,
    "tokens": 4,
    "rerolls": 0,
    "confidence": 0.5,
    "deterministic": True,
    "timings": {"queue_ms": 0.0, "encode_ms": 1.0, "denoise_ms": 2.0, "compute_ms": 3.0, "total_ms": 4.0},
}
DRAFT = {"text": "So far", "stable_chars": 2, "steps_done": 1, "steps_planned": 8}
CHOICE = {"probabilities": [0.25, 0.5, 0.25], "source": "model", "finish_reason": "stop", "timings": LINE["timings"]}
ACTED = {
    "directions": ["nods"],
    "action": {"name": "give", "args": {"item": "rope", "count": 2}},
    "plain_text": "Here [so].",
}
SUMMARY = {"text": "They talked.", "keep": 1}
FLOOD = 200


class OddSidecar:
    """Runs in a thread for the length of a `with` block.

    Attributes:
        port: where it listens.
        heard: all messages that came, in order.
    """

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.port = 0
        self._did: set[str] = set()
        self._kept: list[tuple[bytes, int]] = []
        self._ending = threading.Event()
        self._is_bound = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_bound.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def heard_of(self, kind: str) -> list[dict[str, Any]]:
        """The messages of one type."""
        return [message for message in self.heard if message["type"] == kind]

    def _run(self) -> None:
        with zmq.Context() as context:
            while not self._ending.is_set():
                with context.socket(zmq.ROUTER) as router:
                    self._serve(router)

    def _serve(self, router: zmq.Socket) -> None:
        """Answer until the end, or until an ask makes the sidecar vanish."""
        router.linger = 0
        # Commands in between, which a client has to answer.
        router.heartbeat_ivl = 50
        router.heartbeat_timeout = 1000
        self._bind(router)
        self.port = int(router.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])
        self._is_bound.set()
        while not self._ending.is_set():
            if router.poll(POLL_MS):
                peer, data = router.recv_multipart()
                message = msgpack.unpackb(data)
                self.heard.append(message)
                if not self._answer(router, peer, message):
                    return

    def _bind(self, router: zmq.Socket) -> None:
        # The system gives a port back a moment after it was left.
        while not self._ending.is_set():
            try:
                router.bind(f"tcp://127.0.0.1:{self.port or '*'}")
                return
            except zmq.ZMQError:
                self._ending.wait(POLL_MS / 1000.0)

    def _answer(self, router: zmq.Socket, peer: bytes, message: dict[str, Any]) -> bool:
        request = message.get("request")
        match message["type"]:
            case "hello" if message.get("secret") != SECRET:
                reply(router, peer, "error", request, code="wrong-secret", message="It is another one", hint="")
            case "hello":
                reply(router, peer, "welcome", request, protocol=1, version="0", state="ready", model=MODEL)
            case "ping":
                reply(router, peer, "pong", request)
            case "cancel":
                reply(router, peer, "cancelled", request, target=message["target"], found=False)
                for kept in self._kept:
                    reply(router, *(kept[0], "line", kept[1]), text="Too late.", **LINE)
                self._kept.clear()
            case "ask":
                return self._answer_ask(router, peer, message)
            case "choose":
                return self._answer_choose(router, peer, message)
            case "prompt.get" if message["text"] == "load":
                reply(router, peer, "error", request, code="loading", message="Wait", hint="")
            case "prompt.get":
                text = f"Be Petra. {message['text']}"
                reply(router, peer, "prompt", request, text=text, tokens=7, dropped=["The weather."])
            case "tick":
                pass
            case _:
                reply(router, peer, "ok", request)
        return True

    def _answer_ask(self, router: zmq.Socket, peer: bytes, message: dict[str, Any]) -> bool:
        request, text = message["request"], message["text"]
        match text:
            case "say nothing":
                return True
            case "say it too late":
                self._kept.append((peer, request))
                return True
            case "forget me":
                reply(router, peer, "error", request, code="hello-first", message="Who are you?", hint="")
                return True
            case "break":
                reply(router, peer, "error", request, code="model-failed", message="It broke", hint="")
                return True
            case "vanish" | "sum up and vanish" if text not in self._did:
                self._did.add(text)
                return False
            case "act":
                reply(router, peer, "line", request, text="Here [lb]so].", **LINE, **ACTED)
                return True
            case "sum up":
                reply(router, peer, "summary", request, id=message["npc"], **SUMMARY)
                reply(router, peer, "line", request, text="We did.", **LINE)
                return True
            case "sum up late":
                self._ending.wait(0.2)
                reply(router, peer, "summary", request, id=message["npc"], **SUMMARY)
                reply(router, peer, "line", request, text="We did.", **LINE)
                return True
            case "send a huge frame" if text not in self._did:
                self._did.add(text)
                router.send_multipart([peer, bytes(2 << 20)])
                return True
            case "send garbage":
                for garbage in (b"", b"\xc1", bytes(1 << 20), b"\x80", b"\xde\xff\xff", b"\x91" * 5000):
                    router.send_multipart([peer, garbage])
                router.send_multipart([peer, b"two", b"frames"])
                reply(router, peer, "whisper", request)
                reply(router, peer, "line", request, text="", source="nobody")
            case "flood me":
                for _ in range(FLOOD):
                    reply(router, peer, "draft", request, **DRAFT)
        reply(router, peer, "line", request, text=f"You said: {text}", **LINE)
        return True

    def _answer_choose(self, router: zmq.Socket, peer: bytes, message: dict[str, Any]) -> bool:
        request, text = message["request"], message["text"]
        match text:
            case "say nothing":
                return True
            case "break":
                reply(router, peer, "error", request, code="model-failed", message="It broke", hint="")
                return True
            case "choose and vanish" if text not in self._did:
                self._did.add(text)
                return False
        reply(router, peer, "choice", request, index=9 if text == "choose the tenth" else 1, **CHOICE)
        return True


def reply(router: zmq.Socket, peer: bytes, kind: str, request: int | None, /, **fields: Any) -> None:
    """Send one message."""
    router.send_multipart([peer, msgpack.packb({"type": kind, "request": request, **fields})])
