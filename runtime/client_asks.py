"""A client's open asks: each of them ends once, with a line or a choice, whatever the sidecar does."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from runtime.choice import Choice, ChooseRequest
from runtime.fallback import FallbackLines
from runtime.line import Line
from runtime.messages import Ask, Choose, DraftReply
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.seed import seed_of
from runtime.template import written_beforehand

WATCHDOG_MARGIN_S = 0.25
"""How much longer than its deadline a line may take to arrive."""

MAX_GIVEN_UP = 256

Answer = Line | Choice
"""How an ask, or a choose, ends."""


@dataclass(frozen=True, slots=True)
class AskInFlight:
    """An ask or a choose that has not ended.

    Attributes:
        message: what is asked.
        npc: whose fallback lines may have to serve.
        asked_s: when, in seconds of time.monotonic().
        limit_s: how long after that the client makes the line itself.
        on_draft: is told the line so far.
    """

    message: Ask | Choose
    npc: Npc
    asked_s: float
    limit_s: float
    on_draft: Callable[[DraftReply], None] | None

    @property
    def wanted(self) -> AskRequest | ChooseRequest:
        """What is asked for."""
        return self.message.ask if isinstance(self.message, Ask) else self.message.choose

    @property
    def remembered(self) -> bool:
        """Whether both sides keep this turn if it ends with a line of the model."""
        return isinstance(self.message, Ask) and self.message.by_id and self.message.record

    def message_at(self, now_s: float) -> Ask | Choose:
        """The message with what is left of its deadline."""
        deadline_ms = self.wanted.deadline_ms
        if deadline_ms is None:
            return self.message
        left_ms = max(1, deadline_ms - int((now_s - self.asked_s) * 1000.0))
        if isinstance(self.message, Ask):
            return replace(self.message, ask=replace(self.message.ask, deadline_ms=left_ms))
        return replace(self.message, choose=replace(self.message.choose, deadline_ms=left_ms))


class ClientAsks:
    """The asks in flight, in the order in which they were made, and the answers to those that have ended."""

    def __init__(self) -> None:
        self._in_flight: dict[int, AskInFlight] = {}
        self._ended: dict[int, Answer] = {}
        # Asks that were given up, whose line may be on its way and is then remembered by the sidecar.
        self._given_up: dict[int, AskInFlight] = {}
        self._fallbacks = FallbackLines()

    def __iter__(self) -> Iterator[AskInFlight]:
        return iter(list(self._in_flight.values()))

    def add(self, ask: AskInFlight) -> None:
        """Open an ask."""
        self._in_flight[ask.message.request] = ask

    def find(self, request: int | None) -> AskInFlight | None:
        """An ask in flight."""
        return None if request is None else self._in_flight.get(request)

    def may_change_memory(self, request: int) -> bool:
        """Whether the sidecar's word on this ask still counts: not after a load, which made it void."""
        return request in self._in_flight or request in self._given_up

    def finish(self, request: int, line: Line) -> AskInFlight | None:
        """The sidecar's line has come; returns the ask if its turn is to be remembered now."""
        ask = self._in_flight.get(request)
        if ask is not None:
            self._fallbacks.note(ask.npc.id, line.text)
            self._end(ask, line)
        else:
            ask = self._given_up.pop(request, None)
        return ask if ask is not None and ask.remembered and line.source != "fallback" else None

    def choose(self, request: int, choice: Choice) -> None:
        """The sidecar's choice has come."""
        if (ask := self._in_flight.get(request)) is not None:
            self._end(ask, choice)

    def fall_back(self, ask: AskInFlight, reason: str) -> None:
        """Make the answer here: one that was settled beforehand, and `reason` as what finished it."""
        self.give_up(ask)
        waited_ms = round((time.monotonic() - ask.asked_s) * 1000.0, 3)
        self._end(ask, self._made_here(ask, reason, waited_ms))

    def drop_npc(self, npc_id: str) -> None:
        """End a character's asks without an answer, and without remembering lines that are on their way."""
        for asks in (self._in_flight, self._given_up):
            for request, ask in list(asks.items()):
                if ask.message.by_id and ask.npc.id == npc_id:
                    del asks[request]

    def give_up(self, ask: AskInFlight) -> None:
        """End an ask without an answer."""
        del self._in_flight[ask.message.request]
        self._given_up[ask.message.request] = ask
        if len(self._given_up) > MAX_GIVEN_UP:
            del self._given_up[next(iter(self._given_up))]

    def first_limit_s(self) -> float:
        """When the next ask has to end, in seconds of time.monotonic(); infinite if none has."""
        return min((ask.asked_s + ask.limit_s for ask in self), default=math.inf)

    def has_ended(self, request: int) -> bool:
        """There is an answer that nobody has taken yet."""
        return request in self._ended

    def take(self, request: int) -> Answer:
        """The answer to an ask that has ended."""
        return self._ended.pop(request)

    def take_all(self) -> list[tuple[int, Answer]]:
        """The answers to all asks that have ended, each once."""
        ended, self._ended = list(self._ended.items()), {}
        return ended

    def _made_here(self, ask: AskInFlight, reason: str, waited_ms: float) -> Answer:
        wanted = ask.wanted
        if isinstance(wanted, ChooseRequest):
            return Choice.first(len(wanted.options), reason, waited_ms)
        seed = seed_of(wanted)
        authored = self._fallbacks.choose(ask.npc.id, ask.npc, seed, wanted.situation)
        self._fallbacks.note(ask.npc.id, authored)
        text = written_beforehand(wanted.template, wanted.must_include, authored)
        return Line.written_beforehand(text, reason, seed, waited_ms)

    def _end(self, ask: AskInFlight, answer: Answer) -> None:
        self._in_flight.pop(ask.message.request, None)
        self._ended[ask.message.request] = answer
