"""A client's connection: made, greeted, kept alive, and made again; nothing here ever waits unless it is asked to."""

import contextlib
import logging
import math
import time
from collections.abc import Iterator
from enum import Enum

import zmq
from zmq.utils.monitor import recv_monitor_message

from runtime.errors import PalaverError
from runtime.messages import HOST, PROTOCOL, AnyMessage, ErrorReply, Hello, Message, Ping, Pong, Welcome
from runtime.wire import MessageError, decode, encode

QUIET_S = 2.0
"""Nothing heard for this long: ask whether anybody is there."""

LOST_S = 4.0
"""No answer to that for this long: the connection is lost."""

FIRST_RETRY_S = 0.25
LAST_RETRY_S = 4.0
# More stay queued for the next call, so that one frame of a game never pays for a flood.
MAX_MESSAGES_A_CALL = 64

_NEVER_MS = (1 << 31) - 1
_FOR_GOOD = ("wrong-secret", "protocol-version")
_LOST = zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL

_log = logging.getLogger("palaver")


class LinkState(Enum):
    """How far a connection has come."""

    DISCONNECTED = "disconnected"
    """There is none; the next try comes after a while."""

    GREETING = "greeting"
    """It is being made, or hello is not answered yet."""

    READY = "ready"
    """The sidecar has said welcome."""

    REFUSED = "refused"
    """The sidecar does not take this client; it is not tried again."""


class Link:
    """One connection to a sidecar, and the next one when it is lost.

    Args:
        port: the sidecar's.
        secret: what it was started with.
        name: the client's name and version, for the sidecar's log.
        ids: request ids, shared with whoever sends through this link.

    Attributes:
        state: see there.
        welcome: what the sidecar said last of itself and its model; None before it has.
        refusal: why it does not take this client.
        losses: connections that were lost.
    """

    def __init__(self, port: int, secret: str | None, name: str, ids: Iterator[int]) -> None:
        self.state = LinkState.DISCONNECTED
        self.welcome: Welcome | None = None
        self.refusal: PalaverError | None = None
        self.losses = 0
        self._address = f"tcp://{HOST}:{port}"
        self._secret = secret
        self._name = name
        self._ids = ids
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None
        self._monitor: zmq.Socket[bytes] | None = None
        self._closed = False
        self._own: set[int] = set()
        self._heard_s = 0.0
        self._pinged_s: float | None = None
        self._retry_s = FIRST_RETRY_S
        self._retry_at_s = -math.inf

    def close(self) -> None:
        """Drop the connection, for good."""
        self._drop_socket()
        self._context.term()

    def poll(self) -> list[AnyMessage]:
        """What has come and is not the link's own business; makes, greets and checks the connection on the way."""
        now_s = time.monotonic()
        if self.state is LinkState.DISCONNECTED and now_s >= self._retry_at_s:
            self._connect(now_s)
        # Looked at before reading: all that was said before a connection was closed has come by then, and counts.
        self._closed = self._closed or self._was_closed()
        received = list(self._receive(now_s))
        messages = [message for message in received if not self._is_own(message)]
        drained = len(received) < MAX_MESSAGES_A_CALL
        if self._socket is not None and ((self._closed and drained) or self._is_silent(now_s)):
            self._lose(now_s)
        return messages

    def send(self, message: Message) -> bool:
        """Hand a message to the connection; False if there is none that takes it. Raises RequestError if too large."""
        data = encode(message)
        if self._socket is None:
            return False
        try:
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def wait(self, timeout_s: float) -> None:
        """Wait until something has come, or until `poll` should be called for another reason."""
        # Never longer than what heartbeats and retries need; rounded up, for a wait of no milliseconds would spin.
        wait_ms = math.ceil(min(timeout_s, FIRST_RETRY_S) * 1000.0)
        if self._socket is None:
            time.sleep(min(timeout_s, max(0.0, self._retry_at_s - time.monotonic()), FIRST_RETRY_S))
        else:
            self._socket.poll(wait_ms)

    def _connect(self, now_s: float) -> None:
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = 0
        # A new connection is a new client to the sidecar, so it must not come about unnoticed: ZeroMQ makes none. (To
        # forbid it would also throw away what has come and was not read yet.)
        self._socket.reconnect_ivl = _NEVER_MS
        self._monitor = self._socket.get_monitor_socket(_LOST)
        self._socket.connect(self._address)
        self._greet(now_s)

    def _greet(self, now_s: float) -> None:
        self.state = LinkState.GREETING
        self._heard_s, self._pinged_s = now_s, now_s
        self._send_own(Hello(next(self._ids), PROTOCOL, self._secret, self._name))

    def _receive(self, now_s: float) -> Iterator[AnyMessage]:
        for _ in range(MAX_MESSAGES_A_CALL):
            if self._socket is None:
                return
            try:
                data = self._socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._heard_s, self._pinged_s = now_s, None
            # A newer sidecar may say more than this client understands.
            with contextlib.suppress(MessageError):
                yield decode(data)

    def _is_own(self, message: AnyMessage) -> bool:
        """Take in what concerns the connection itself."""
        if isinstance(message, ErrorReply) and message.code == "hello-first":
            # The sidecar has forgotten this client. Its asks are sent again after the welcome.
            if self.state is LinkState.READY:
                self._greet(time.monotonic())
            return True
        if message.request not in self._own:
            return False
        assert message.request is not None
        self._own.discard(message.request)
        if isinstance(message, Welcome):
            self.welcome, self.state, self._retry_s = message, LinkState.READY, FIRST_RETRY_S
        elif isinstance(message, ErrorReply):
            self._refused(PalaverError(message.message, message.hint, code=message.code))
        return isinstance(message, (Welcome, ErrorReply, Pong))

    def _refused(self, error: PalaverError) -> None:
        if error.code in _FOR_GOOD:
            self.state, self.refusal = LinkState.REFUSED, error
            self._drop_socket()
        else:
            _log.warning("the sidecar answered a greeting with %s", error)

    def _is_silent(self, now_s: float) -> bool:
        """Nobody has answered for too long. A game that was stopped itself asks first, and judges afterwards."""
        if self._pinged_s is not None:
            return now_s - self._pinged_s > LOST_S
        if now_s - self._heard_s > QUIET_S:
            self._send_own(Ping(next(self._ids)))
            self._pinged_s = now_s
        return False

    def _was_closed(self) -> bool:
        if self._monitor is None:
            return False
        try:
            recv_monitor_message(self._monitor, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def _lose(self, now_s: float) -> None:
        self._drop_socket()
        self.state = LinkState.DISCONNECTED
        self.losses += 1
        self._retry_at_s = now_s + self._retry_s
        self._retry_s = min(2.0 * self._retry_s, LAST_RETRY_S)

    def _send_own(self, message: Hello | Ping) -> None:
        self._own.add(message.request)
        self.send(message)

    def _drop_socket(self) -> None:
        socket, monitor = self._socket, self._monitor
        self._socket = self._monitor = None
        self._closed = False
        self._own.clear()
        if socket is not None and monitor is not None:
            socket.disable_monitor()
            monitor.close(linger=0)
            socket.close()
