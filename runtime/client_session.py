"""What goes on between a client and the sidecar: greetings, what is told again after them, replies, and the clock."""

import itertools
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from runtime.client_asks import ClientAsks
from runtime.client_link import Link, LinkState
from runtime.client_npcs import ClientNpcs
from runtime.errors import PalaverError
from runtime.memory import Memory
from runtime.messages import (
    AnyMessage,
    Budget,
    Bye,
    Cancel,
    ChoiceReply,
    DraftReply,
    ErrorReply,
    LineReply,
    NpcLoad,
    NpcPut,
    NpcSummary,
    Ok,
    Ping,
    Pong,
    PromptGet,
    PromptReply,
    Report,
    Stats,
    Summary,
    Welcome,
    WorldPut,
)
from runtime.version import __version__
from runtime.world import NO_WORLD

REPLY_TIMEOUT_S = 10.0

Told = Budget | Bye | NpcPut | NpcSummary | Ping | PromptGet | Stats
Reply = TypeVar("Reply", Ok, Pong, Report, PromptReply)

_log = logging.getLogger("palaver")


class ClientSession:
    """The state of a client; `pump` moves it on.

    Args:
        port: the sidecar's.
        secret: what it was started with.

    Attributes:
        ids: request ids.
        link: the connection.
        npcs: the game's characters, which every new connection is told of.
        asks: those in flight, and those that have ended.
        budget: the last word on the sidecar's load, which every new connection is told too.
    """

    def __init__(self, port: int, secret: str | None) -> None:
        self.ids = itertools.count(1)
        self.link = Link(port, secret, f"palaver-python {__version__}", self.ids)
        self.npcs = ClientNpcs()
        self.asks = ClientAsks()
        self.budget: tuple[float, float] | None = None
        self._told: Welcome | None = None
        self._inbox: deque[AnyMessage] = deque()
        # Requests that somebody waits for, and the replies that came to them.
        self._waiting: set[int] = set()
        self._replies: dict[int, AnyMessage] = {}

    @property
    def ready(self) -> bool:
        """There is a connection, and the sidecar knows all that it has to know of this client."""
        return self.link.state is LinkState.READY and self.link.welcome is self._told

    def pump(self) -> None:
        """Take in what has come, tell a new sidecar what it has to know, end asks that took too long; never waits."""
        self._inbox.extend(self.link.poll())
        # A draft's callback may pump in its turn, which goes on behind that draft.
        while self._inbox:
            self._take(self._inbox.popleft())
        if self.link.state is LinkState.READY and not self.ready:
            self._tell_all()
        self._end_late_asks()

    def until(self, done: Callable[[], bool], timeout_s: float) -> None:
        """Pump until `done()`. Raises PalaverError: "timeout", or why the sidecar does not take this client."""
        ends_s = time.monotonic() + timeout_s
        while True:
            self.pump()
            if done():
                return
            if self.link.refusal is not None:
                raise self.link.refusal
            now_s = time.monotonic()
            if now_s >= ends_s:
                raise PalaverError(
                    f"the sidecar did not answer within {timeout_s:g} s",
                    "See whether its process still runs, or wait longer",
                    code="timeout",
                )
            self.link.wait(max(0.0, min(ends_s, self.asks.first_limit_s()) - now_s))

    def exchange(self, message: Told, kind: type[Reply], timeout_s: float) -> Reply:
        """Send a message and wait for its reply. Raises the sidecar's error, or PalaverError ("timeout")."""
        self.until(lambda: self.ready, timeout_s)
        losses, welcome = self.link.losses, self.link.welcome
        self.link.send(message)
        self._waiting.add(message.request)
        try:
            self.until(
                # A sidecar that had forgotten this client took nothing in before it said welcome again.
                lambda: (
                    (message.request in self._replies) or (self.link.losses, self.link.welcome) != (losses, welcome)
                ),
                timeout_s,
            )
        finally:
            self._waiting.discard(message.request)
        reply = self._replies.pop(message.request, None)
        if isinstance(reply, ErrorReply):
            raise PalaverError(reply.message, reply.hint, code=reply.code)
        if not isinstance(reply, kind):
            raise PalaverError(
                "the connection was lost" if reply is None else f"the sidecar answered with {reply.type!r}",
                "See whether the sidecar's process still runs",
                code="unreachable" if reply is None else "unexpected-reply",
            )
        return reply

    def summarise(self, summary: NpcSummary, timeout_s: float) -> None:
        """Set the game's summary on both sides, behind the same lines on both. Raises as `exchange` does."""
        self.npcs.expect(summary)
        try:
            self.exchange(summary, Ok, timeout_s)
        except PalaverError as error:
            if self.ready and error.code != "unreachable":
                raise
            self.npcs.settle_all()

    def _take(self, message: AnyMessage) -> None:
        if isinstance(message, (Ok, ErrorReply)):
            self.npcs.settle(message.request, taken=isinstance(message, Ok))
        match message:
            case LineReply():
                ask = self.asks.finish(message.request, message.line)
                if ask is not None:
                    self.npcs.remember(ask.npc.id, (ask.wanted.text, message.line.remembered))
            case ChoiceReply():
                self.asks.choose(message.request, message.choice)
            case Summary():
                if self.asks.may_change_memory(message.request):
                    self.npcs.summarise(message.id, message.text, message.keep)
            case DraftReply():
                ask = self.asks.find(message.request)
                if ask is not None and ask.on_draft is not None:
                    ask.on_draft(message)
            case ErrorReply() if (ask := self.asks.find(message.request)) is not None:
                _log.warning("%s did not answer: %s", ask.npc.name, message.message)
                self.asks.fall_back(ask, message.code)
            case _ if message.request in self._waiting:
                assert message.request is not None
                self._replies[message.request] = message
            # Not for asks that were given up: the sidecar confirms that it has ended them.
            case ErrorReply() if message.code != "cancelled":
                _log.warning("the sidecar says %s: %s", message.code, message.message)

    def _tell_all(self) -> None:
        """Whoever knows nothing of this client: world, characters, memories, and asks without a line."""
        self._told = self.link.welcome
        self.npcs.settle_all()
        if self.npcs.world != NO_WORLD:
            self.link.send(WorldPut(next(self.ids), self.npcs.world))
        for npc in self.npcs:
            self.link.send(NpcPut(next(self.ids), npc))
            if self.npcs.memory(npc.id) != Memory():
                self.link.send(NpcLoad(next(self.ids), self.npcs.save(npc.id)))
        if self.budget is not None:
            self.link.send(Budget(next(self.ids), *self.budget))
        now_s = time.monotonic()
        for ask in self.asks:
            self.link.send(ask.message_at(now_s))

    def _end_late_asks(self) -> None:
        refusal, now_s = self.link.refusal, time.monotonic()
        for ask in self.asks:
            if refusal is not None:
                self.asks.fall_back(ask, refusal.code)
            elif now_s - ask.asked_s >= ask.limit_s:
                self.asks.fall_back(ask, "timeout" if self.ready else "unreachable")
                self.link.send(Cancel(next(self.ids), ask.message.request))
