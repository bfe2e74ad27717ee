"""The Python client: asks a sidecar for lines. The reference for the other bindings.

    with start_sidecar() as sidecar, PalaverClient(sidecar.port) as client:
        line = client.ask(npc, "What do you sell?")

A game loop calls `submit` when something is said, and `tick` and `poll` once a frame; none of them waits.
"""

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar

import zmq

from runtime.errors import PalaverError
from runtime.line import Line
from runtime.messages import (
    HOST,
    PROTOCOL,
    AnyMessage,
    Ask,
    Cancel,
    Cancelled,
    DraftReply,
    ErrorReply,
    Hello,
    LineReply,
    Pace,
    Paced,
    Ping,
    Pong,
    Tick,
    Welcome,
)
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.schedule import Policy
from runtime.sidecar import Sidecar, start_sidecar
from runtime.wire import decode, encode

__all__ = ["PalaverClient", "Sidecar", "start_sidecar"]

ASK_TIMEOUT_S = 60.0
REPLY_TIMEOUT_S = 10.0
# More stay queued for the next call, so that one frame of a game never pays for a flood.
MAX_MESSAGES_A_CALL = 64

Reply = TypeVar("Reply", Welcome, Cancelled, Paced, Pong, LineReply)


class PalaverClient:
    """One connection to a sidecar on this machine; for one thread.

    An error that the sidecar answers with is raised as a PalaverError with the sidecar's code, message and hint.

    Attributes:
        welcome: what the sidecar said of itself and its model.

    Args:
        port: the sidecar's, from its READY line.
        timeout_s: how long to wait for the sidecar's welcome.

    Raises:
        PalaverError: code "timeout" when nobody answers, "protocol-version" when the sidecar speaks another protocol.
    """

    def __init__(self, port: int, *, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        self._ids = itertools.count(1)
        # Requests that wait for their reply, and the replies that came; a reply to anything else is dropped.
        self._waiting: set[int] = set()
        self._replies: dict[int, AnyMessage] = {}
        self._on_draft: dict[int, Callable[[DraftReply], None]] = {}
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = 0
        self._socket.connect(f"tcp://{HOST}:{port}")
        try:
            self.welcome = self._exchange(Hello(next(self._ids), PROTOCOL), Welcome, timeout_s)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drop the connection. Asks that are still open are given up when the sidecar next has something to send."""
        self._socket.close()
        self._context.term()

    def ask(
        self,
        npc: Npc,
        text: str,
        *,
        seed: int | None = None,
        steps: int | None = None,
        max_tokens: int | None = None,
        history: Sequence[tuple[str, str]] = (),
        deadline_ms: int | None = None,
        priority: int = 0,
        policy: Policy | str = Policy.QUEUE,
        stop_after_steps: int | None = None,
        on_draft: Callable[[DraftReply], None] | None = None,
        draft_every_ms: int = 0,
        timeout_s: float = ASK_TIMEOUT_S,
    ) -> Line:
        """The character's answer; blocks until it is there. Arguments as for `submit`.

        Raises:
            RequestError: an argument is outside its limits; nothing was sent.
            PalaverError: the sidecar's error, or code "timeout"; the ask is then cancelled.
        """
        request = self.submit(
            npc,
            text,
            seed=seed,
            steps=steps,
            max_tokens=max_tokens,
            history=history,
            deadline_ms=deadline_ms,
            priority=priority,
            policy=policy,
            stop_after_steps=stop_after_steps,
            on_draft=on_draft,
            draft_every_ms=draft_every_ms,
        )
        try:
            reply = self._wait(request, timeout_s)
        except BaseException:
            self._on_draft.pop(request, None)
            self._send(Cancel(next(self._ids), request))
            raise
        return _expected(reply, LineReply).line

    def submit(
        self,
        npc: Npc,
        text: str,
        *,
        seed: int | None = None,
        steps: int | None = None,
        max_tokens: int | None = None,
        history: Sequence[tuple[str, str]] = (),
        deadline_ms: int | None = None,
        priority: int = 0,
        policy: Policy | str = Policy.QUEUE,
        stop_after_steps: int | None = None,
        on_draft: Callable[[DraftReply], None] | None = None,
        draft_every_ms: int = 0,
    ) -> int:
        """Ask without waiting; returns the request id that `poll` answers with and `cancel` takes.

        Args:
            npc: who answers.
            text: what the player says.
            seed: for the same line again; random by default, and the line tells it.
            steps: most denoising steps a canvas.
            max_tokens: most tokens of the line.
            history: earlier turns, oldest first, each (what the player said, what the character answered).
            deadline_ms: when the line has to be there, counted from when the sidecar reads the ask.
            priority: -10 to 10, higher goes first.
            policy: while this character has an open ask of this client: "queue" behind it, "replace" or "reject".
            stop_after_steps: ends the line there as a deadline would: for a draft once more.
            on_draft: called with the line so far, from inside `poll` and whatever else waits for a reply.
            draft_every_ms: least time between two drafts; 0 for one after each step.

        Raises:
            RequestError: an argument is outside its limits; nothing was sent.
        """
        request = next(self._ids)
        wanted = AskRequest(
            npc,
            text,
            seed,
            steps,
            max_tokens,
            tuple(history),
            deadline_ms=deadline_ms,
            priority=priority,
            policy=policy,
            draft_every_ms=None if on_draft is None else draft_every_ms,
            stop_after_steps=stop_after_steps,
        )
        self._send(Ask(request, wanted))
        self._waiting.add(request)
        if on_draft is not None:
            self._on_draft[request] = on_draft
        return request

    def tick(self, frame: int, budget_ms: float) -> None:
        """Tell that a frame begins in which the sidecar may compute for `budget_ms`, 0 to 1000; never waits.

        Compute happens only inside these budgets from the first tick on, until `set_pace`.
        """
        # Where ticks pile up, nobody computes either: one more would not help.
        with contextlib.suppress(zmq.Again):
            self._socket.send(encode(Tick(frame, float(budget_ms))), zmq.NOBLOCK)

    def set_pace(self, max_load: float, fps: float = 60.0, *, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        """Let the sidecar pace itself: at most `max_load` of one core (0.001 to 1), spread over the frames."""
        self._exchange(Pace(next(self._ids), float(max_load), float(fps)), Paced, timeout_s)

    def poll(self) -> list[tuple[int, Line | PalaverError]]:
        """What has ended since the last call, without waiting: each submitted request comes up once."""
        self._receive()
        ended: list[tuple[int, Line | PalaverError]] = []
        for request, reply in list(self._replies.items()):
            if isinstance(reply, LineReply):
                ended.append((request, reply.line))
            elif isinstance(reply, ErrorReply):
                ended.append((request, _error_of(reply)))
            del self._replies[request]
        return ended

    def cancel(self, request: int, *, timeout_s: float = REPLY_TIMEOUT_S) -> bool:
        """Give up a submitted request; whether it was still open. If so, `poll` tells an error of code "cancelled"."""
        return self._exchange(Cancel(next(self._ids), request), Cancelled, timeout_s).found

    def ping(self, *, timeout_s: float = REPLY_TIMEOUT_S) -> float:
        """Seconds until the sidecar answered."""
        started_s = time.perf_counter()
        self._exchange(Ping(next(self._ids)), Pong, timeout_s)
        return time.perf_counter() - started_s

    def _exchange(self, message: Hello | Cancel | Pace | Ping, kind: type[Reply], timeout_s: float) -> Reply:
        self._send(message)
        self._waiting.add(message.request)
        return _expected(self._wait(message.request, timeout_s), kind)

    def _wait(self, request: int, timeout_s: float) -> AnyMessage:
        """The reply to a request; PalaverError of code "timeout" when it does not come in time."""
        ends_s = time.monotonic() + timeout_s
        try:
            while request not in self._replies:
                left_s = ends_s - time.monotonic()
                if left_s <= 0.0:
                    raise PalaverError(
                        f"the sidecar did not answer within {timeout_s:g} s",
                        "See whether its process still runs, or wait longer with timeout_s",
                        code="timeout",
                    )
                # Rounded up: a wait of no milliseconds would spin through the last one.
                if self._socket.poll(math.ceil(left_s * 1000.0)):
                    self._receive()
        finally:
            self._waiting.discard(request)
        return self._replies.pop(request)

    def _receive(self) -> None:
        """Take in what has come and is waited for."""
        for _ in range(MAX_MESSAGES_A_CALL):
            try:
                reply = decode(self._socket.recv(zmq.NOBLOCK))
            except zmq.Again:
                return
            if isinstance(reply, ErrorReply) and reply.request is None:
                raise _error_of(reply)
            if isinstance(reply, DraftReply):
                if (on_draft := self._on_draft.get(reply.request)) is not None:
                    on_draft(reply)
            elif reply.request is not None and reply.request in self._waiting:
                self._waiting.discard(reply.request)
                self._on_draft.pop(reply.request, None)
                self._replies[reply.request] = reply

    def _send(self, message: Hello | Ask | Cancel | Pace | Ping) -> None:
        try:
            self._socket.send(encode(message), zmq.NOBLOCK)
        except zmq.Again as error:
            raise PalaverError(
                "the sidecar does not take messages", "See whether its process still runs", code="unreachable"
            ) from error


def _expected(reply: AnyMessage, kind: type[Reply]) -> Reply:
    if isinstance(reply, ErrorReply):
        raise _error_of(reply)
    if not isinstance(reply, kind):
        raise PalaverError(
            f"the sidecar answered with {reply.type!r} where {kind.type!r} was due",
            "See that the port is a Palaver sidecar's",
            code="unexpected-reply",
        )
    return reply


def _error_of(reply: ErrorReply) -> PalaverError:
    return PalaverError(reply.message, reply.hint, code=reply.code)
