"""The sidecar's loop: handle what clients have sent, run one unit of compute, send what ended; one thread does it all.

So `tick`, `ping` and `cancel` wait for at most one unit, and nothing runs while there is nothing to do, or no budget to
do it with.
"""

import logging
import math
import socket
from functools import partial

import zmq

from runtime.draft import Draft
from runtime.engine import Engine
from runtime.errors import PalaverError, RequestError
from runtime.messages import (
    PROTOCOL,
    AnyMessage,
    Ask,
    Cancel,
    Cancelled,
    DraftReply,
    ErrorReply,
    Hello,
    LineReply,
    Message,
    ModelFacts,
    Pace,
    Paced,
    Ping,
    Pong,
    Tick,
    Welcome,
)
from runtime.open_asks import OpenAsk, OpenAsks
from runtime.outcome import Finished, Outcome
from runtime.version import __version__
from runtime.wire import MessageError, decode, encode

MAX_CLIENTS = 1024
# The rest is read after the next unit of compute, so that a flood of messages cannot stop the lines.
MAX_MESSAGES_A_TURN = 64

_log = logging.getLogger("palaver")


class Server:
    """Moves messages between a bound ROUTER socket and an engine, until `stop()`.

    Args:
        router: with `router_mandatory` set, so that a client which is gone is noticed.
        engine: used by nobody else.
        wake: becomes readable when a signal came, so that `stop()` is seen by a server that waits for messages.
    """

    def __init__(self, router: zmq.Socket[bytes], engine: Engine, wake: socket.socket) -> None:
        self._router = router
        self._engine = engine
        self._open = OpenAsks()
        # In the order in which they were last heard, so that those which went away silently are forgotten first.
        self._greeted: dict[bytes, None] = {}
        self._stopping = False
        self._poller = zmq.Poller()
        self._poller.register(router, zmq.POLLIN)
        self._poller.register(wake, zmq.POLLIN)

    def stop(self) -> None:
        """Let `run` end after the current unit of compute; safe to call from a signal handler."""
        self._stopping = True

    def run(self) -> None:
        """Serve until stopped, then tell every client with an open ask that it will not be answered."""
        while not self._stopping:
            wait_s = self._engine.wait_s()
            if wait_s > 0.0:
                # Rounded up: a wait of no milliseconds would spin through the last one.
                self._poller.poll(None if math.isinf(wait_s) else math.ceil(wait_s * 1000.0))
            self._receive_waiting()
            for outcome in self._engine.step():
                self._report(outcome)
        goodbye = PalaverError("the sidecar is shutting down", "Start it again and ask again", code="shutting-down")
        for ask in self._open.take_all():
            self._engine.cancel(ask.job_id)
            self._send(ask.client, ErrorReply.of(ask.request, goodbye))

    def _receive_waiting(self) -> None:
        for _ in range(MAX_MESSAGES_A_TURN):
            try:
                client, *frames = self._router.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            for reply in self._replies_to(client, frames):
                self._send(client, reply)

    def _replies_to(self, client: bytes, frames: list[bytes]) -> tuple[Message, ...]:
        request = None
        try:
            message = _decode_frames(frames)
            request = message.request
            return self._handle(client, message)
        except MessageError as error:
            problem: PalaverError = error
            request = error.request
        except PalaverError as error:
            problem = error
        # An error that named an open ask would end that ask for the client, and its line is still to come.
        return (ErrorReply.of(None if self._open.has(client, request) else request, problem),)

    def _handle(self, client: bytes, message: AnyMessage) -> tuple[Message, ...]:
        match message:
            case Hello():
                return (self._greet(client, message),)
            case Ask():
                self._submit(client, message)
                return ()
            case Cancel():
                return self._cancel(client, message)
            case Ping():
                return (Pong(message.request),)
            case Tick():
                self._require_hello(client)
                self._engine.tick(message.frame, message.budget_ms)
                return ()
            case Pace():
                self._require_hello(client)
                self._engine.pace(message.max_load, message.fps)
                return (Paced(message.request),)
            case _:
                raise RequestError(
                    f"a client cannot send {message.type!r}",
                    "Send hello, ask, cancel, tick, pace or ping",
                    code="unknown-type",
                )

    def _greet(self, client: bytes, hello: Hello) -> Welcome:
        if hello.protocol != PROTOCOL:
            raise RequestError(
                f"this sidecar speaks protocol {PROTOCOL}, the client protocol {hello.protocol}",
                f"Use the client that belongs to Palaver {__version__}",
                code="protocol-version",
            )
        self._heard(client)
        if len(self._greeted) > MAX_CLIENTS:
            del self._greeted[next(iter(self._greeted))]
        manifest = self._engine.bundle.manifest
        facts = ModelFacts(manifest.name, manifest.geometry.canvas_length, manifest.licence)
        return Welcome(hello.request, PROTOCOL, __version__, facts)

    def _heard(self, client: bytes) -> None:
        self._greeted.pop(client, None)
        self._greeted[client] = None

    def _require_hello(self, client: bytes) -> None:
        if client not in self._greeted:
            raise RequestError("this client has not said hello", "Send hello first", code="hello-first")
        self._heard(client)

    def _submit(self, client: bytes, message: Ask) -> None:
        self._require_hello(client)
        if self._open.has(client, message.request):
            raise RequestError(
                f"request {message.request} is still open", "Give each ask a new id", code="duplicate-request"
            )
        try:
            wants_drafts = message.ask.draft_every_ms is not None
            on_draft = partial(self._send_draft, client, message.request) if wants_drafts else None
            # The same character of two games is two: neither may replace or hold up the other's.
            job_id = self._engine.submit(message.ask, on_draft=on_draft, owner=client)
        except PalaverError:
            raise
        # One ask that meets a defect must not take the others down.
        except Exception as error:
            _log.exception("an ask could not be submitted")
            problem = f"{type(error).__name__}: {error}"
            raise PalaverError(problem, "Please report this", code="internal") from error
        self._open.add(OpenAsk(client, message.request, job_id))

    def _cancel(self, client: bytes, message: Cancel) -> tuple[Message, ...]:
        ask = self._open.take_request(client, message.target)
        if ask is None:
            return (Cancelled(message.request, message.target, found=False),)
        self._engine.cancel(ask.job_id)
        return (
            Cancelled(message.request, message.target, found=True),
            ErrorReply.of(ask.request, PalaverError("the ask was cancelled", code="cancelled")),
        )

    def _report(self, outcome: Outcome) -> None:
        ask = self._open.take_job(outcome.job_id)
        if ask is None:
            return
        if isinstance(outcome, Finished):
            self._send(ask.client, LineReply(ask.request, outcome.line))
        else:
            self._send(ask.client, ErrorReply.of(ask.request, outcome.error))

    def _send_draft(self, client: bytes, request: int, draft: Draft) -> None:
        self._send(client, DraftReply.of(request, draft))

    def _send(self, client: bytes, message: Message) -> None:
        try:
            self._router.send_multipart([client, encode(message)], zmq.NOBLOCK)
        except zmq.ZMQError as error:
            # Who is slow to read misses drafts, not lines.
            if isinstance(message, DraftReply) and error.errno == zmq.EAGAIN:
                return
            # Gone, or not reading: whatever it still waits for is computed for nobody.
            if error.errno not in (zmq.EHOSTUNREACH, zmq.EAGAIN):
                raise
            self._greeted.pop(client, None)
            for ask in self._open.take_all(client):
                self._engine.cancel(ask.job_id)


def _decode_frames(frames: list[bytes]) -> AnyMessage:
    if len(frames) != 1:
        raise MessageError(
            f"a message came in {len(frames)} frames", "Send each message as one frame", code="malformed-message"
        )
    return decode(frames[0])
