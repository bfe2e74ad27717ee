"""The sidecar's loop: handle what clients have sent, run one unit of compute, send what ended; one thread does it all.

So `tick`, `ping` and `cancel` wait for at most one unit, and nothing runs while there is nothing to do, or no budget to
do it with.
"""

import hmac
import logging
import math
import time
from collections import Counter
from typing import cast

import zmq

from runtime.ask_desk import AskDesk
from runtime.clients import Clients
from runtime.errors import PalaverError, RequestError
from runtime.fallback import FallbackLines
from runtime.memory import Summariser
from runtime.messages import (
    CLIENT_MESSAGES,
    PROTOCOL,
    AnyMessage,
    Ask,
    Budget,
    Bye,
    Cancel,
    Cancelled,
    Choose,
    ClientMessage,
    DraftReply,
    ErrorReply,
    Hello,
    LineReply,
    Message,
    ModelFacts,
    Ok,
    Ping,
    Pong,
    Report,
    Stats,
    Tick,
    Welcome,
)
from runtime.npc_desk import NPC_MESSAGES, NpcDesk, NpcMessage, cancelled
from runtime.process.loading import Loading
from runtime.process.memory import resident_mb
from runtime.process.wake import Wake
from runtime.version import __version__
from runtime.wire import MAX_MESSAGE_BYTES, MessageError, decode, encode

# The rest is read after the next unit of compute, so that a flood of messages cannot stop the lines.
MAX_MESSAGES_A_TURN = 64
MAX_BYTES_A_TURN = MAX_MESSAGE_BYTES
# Who has not said hello has nothing to say that is longer, and reading a large message takes time.
MAX_STRANGER_BYTES = 1 << 16

_log = logging.getLogger("palaver")


class Server:
    """Moves messages between a bound ROUTER socket and an engine, until `wake` says stop.

    Args:
        router: with `router_mandatory` set, so that a client which is gone is noticed.
        loading: of the engine, which is used by nobody else.
        facts: of the model that is being loaded.
        wake: becomes readable when a signal came or the loading ended, which a server that waits would not see.
        fallbacks: the engine's, for asks that it gets too late.
        secret: what a hello has to repeat; None lets anybody in.
        summariser: tells turns that no longer fit into a prompt.
    """

    def __init__(
        self,
        router: zmq.Socket[bytes],
        loading: Loading,
        facts: ModelFacts,
        wake: Wake,
        fallbacks: FallbackLines,
        secret: str | None = None,
        summariser: Summariser | None = None,
    ) -> None:
        self._router = router
        self._loading = loading
        self._facts = facts
        self._wake = wake
        self._secret = secret
        self._began_s = time.monotonic()
        self._clients = Clients()
        self._asks = AskDesk(self._clients, self._send, fallbacks, summariser=summariser)
        self._npcs = NpcDesk(self._clients, self._asks)
        # The last word on how much may be computed, and whose it was, for when there is an engine.
        self._pace: tuple[bytes, Tick | Budget] | None = None
        self._sent: Counter[str] = Counter()
        self._poller = zmq.Poller()
        self._poller.register(router, zmq.POLLIN)
        self._poller.register(wake.reader, zmq.POLLIN)

    def run(self) -> None:
        """Serve until stopped, then tell every client with an open ask that it will not be answered.

        Raises:
            PalaverError: the model could not be loaded; every open ask was answered with this.
        """
        ending = PalaverError("the sidecar is shutting down", "Start it again and ask again", code="shutting-down")
        try:
            while not self._wake.stopping:
                self._take_engine()
                wait_s = self._asks.wait_s()
                if wait_s > 0.0:
                    # Rounded up: a wait of no milliseconds would spin through the last one.
                    self._poller.poll(None if math.isinf(wait_s) else math.ceil(wait_s * 1000.0))
                self._wake.drain()
                self._receive_waiting()
                self._asks.run()
        except PalaverError as error:
            ending = error
            raise
        finally:
            self._asks.close(ending)
            # What came too late for its turn is answered all the same.
            self._receive_waiting()

    def _take_engine(self) -> None:
        if self._asks.engine is None and (engine := self._loading.engine()) is not None:
            self._asks.use(engine)
            if self._pace is not None:
                self._set_pace(*self._pace)

    def _receive_waiting(self) -> None:
        received_bytes = 0
        for _ in range(MAX_MESSAGES_A_TURN):
            try:
                client, *frames = self._router.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            for reply in self._replies_to(client, frames):
                self._send(client, reply)
            received_bytes += sum(map(len, frames))
            if received_bytes >= MAX_BYTES_A_TURN:
                return

    def _replies_to(self, client: bytes, frames: list[bytes]) -> tuple[Message, ...]:
        request = None
        try:
            message = self._decode(client, frames)
            request = message.request
            return self._handle(client, message)
        except MessageError as error:
            problem: PalaverError = error
            request = error.request
        except PalaverError as error:
            problem = error
        # An error that named an open ask would end that ask for the client, and its line is still to come.
        return (ErrorReply.of(None if self._asks.has(client, request) else request, problem),)

    def _decode(self, client: bytes, frames: list[bytes]) -> AnyMessage:
        if len(frames) != 1:
            raise MessageError(
                f"a message came in {len(frames)} frames", "Send each message as one frame", code="malformed-message"
            )
        if len(frames[0]) > MAX_STRANGER_BYTES and client not in self._clients:
            raise MessageError(
                f"a message of {len(frames[0])} bytes came before hello", "Say hello first", code="message-too-large"
            )
        return decode(frames[0])

    def _handle(self, client: bytes, message: AnyMessage) -> tuple[Message, ...]:
        match message:
            case Hello():
                return (self._greet(client, message),)
            case Ping():
                return (Pong(message.request),)
        if message.type not in CLIENT_MESSAGES:
            raise RequestError(
                f"a client cannot send {message.type!r}",
                "The protocol's README tells what a client may send",
                code="unknown-type",
            )
        self._clients.require(client)
        if isinstance(message, NPC_MESSAGES):
            return self._npcs.replies(client, cast(NpcMessage, message))
        return self._serve(client, cast(ClientMessage, message))

    def _serve(self, client: bytes, message: ClientMessage) -> tuple[Message, ...]:
        """Replies to a client that has said hello."""
        match message:
            case Ask() | Choose():
                self._asks.submit(client, message)
                return ()
            case Cancel():
                found = self._asks.cancel(client, message.target)
                reply = Cancelled(message.request, message.target, found)
                return (reply, *cancelled([message.target] if found else []))
            case Tick():
                self._set_pace(client, message)
                return ()
            case Budget():
                self._set_pace(client, message)
            case Stats():
                return (self._status(message.request),)
            case Bye():
                self._wake.stop()
        assert message.request is not None
        return (Ok(message.request),)

    def _greet(self, client: bytes, hello: Hello) -> Welcome:
        if hello.protocol != PROTOCOL:
            raise RequestError(
                f"this sidecar speaks protocol {PROTOCOL}, the client protocol {hello.protocol}",
                f"Use the client that belongs to Palaver {__version__}",
                code="protocol-version",
            )
        said = (hello.secret or "").encode()
        if self._secret is not None and not hmac.compare_digest(said, self._secret.encode()):
            raise RequestError(
                "the secret is not the one that this sidecar was started with",
                "Pass on the secret of the sidecar that this game has started",
                code="wrong-secret",
            )
        self._clients.greet(client)
        _log.info("hello from %r", hello.client)
        return Welcome(hello.request, PROTOCOL, __version__, self._status(hello.request).state, self._facts)

    def _status(self, request: int) -> Report:
        engine = self._asks.engine
        return Report(
            request=request,
            state="loading" if engine is None else "ready",
            load_progress=self._loading.progress,
            uptime_s=round(time.monotonic() - self._began_s, 3),
            open_asks=len(self._asks),
            clients=len(self._clients),
            npcs=self._clients.npcs,
            lines_model=self._sent["model"],
            lines_draft=self._sent["draft"],
            lines_fallback=self._sent["fallback"],
            errors=self._sent["error"],
            memory_mb=round(resident_mb(), 3),
            step_ms=0.0 if engine is None else round(engine.step_s() * 1000.0, 3),
        )

    def _set_pace(self, client: bytes, message: Tick | Budget) -> None:
        self._pace = client, message
        if self._asks.engine is None:
            return
        if isinstance(message, Tick):
            self._asks.engine.tick(message.frame, message.budget_ms, owner=client)
        else:
            self._asks.engine.pace(message.max_load, message.fps)

    def _send(self, client: bytes, message: Message) -> None:
        if isinstance(message, LineReply):
            self._sent[message.line.source] += 1
        elif isinstance(message, ErrorReply):
            self._sent["error"] += 1
            _log.info("error %s: %s", message.code, message.message)
        try:
            self._router.send_multipart([client, encode(message)], zmq.NOBLOCK)
        except zmq.ZMQError as error:
            # Who is slow to read misses drafts, not lines.
            if isinstance(message, DraftReply) and error.errno == zmq.EAGAIN:
                return
            # Gone, or not reading: whatever it still waits for is computed for nobody.
            if error.errno not in (zmq.EHOSTUNREACH, zmq.EAGAIN):
                raise
            self._clients.drop(client)
            self._asks.drop(client)
