"""The sidecar's side of an ask or a choose, from its arrival to its one end."""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from runtime.choice import Choice, ChooseRequest
from runtime.clients import Clients
from runtime.draft import Draft
from runtime.errors import PalaverError, RequestError
from runtime.fallback import FallbackLines
from runtime.line import Line
from runtime.memory import Summariser, condensed
from runtime.messages import Ask, ChoiceReply, Choose, DraftReply, ErrorReply, LineReply, Message, Summary
from runtime.open_asks import OpenAsk, OpenAsks, Speaker
from runtime.outcome import Chosen, Failed, Outcome
from runtime.request import AskRequest
from runtime.schedule import MAX_OPEN_JOBS, Policy, busy_error, npc_busy_error, replaced_error
from runtime.seed import seed_of
from runtime.template import written_beforehand

if TYPE_CHECKING:
    from runtime.engine import Engine

Wanted = TypeVar("Wanted", bound=AskRequest | ChooseRequest)
Told = TypeVar("Told", Line, Choice)

_log = logging.getLogger("palaver")


class AskDesk:
    """Keeps asks until the engine can have them, hands them over, and sends what becomes of them.

    An ask waits for the engine while the model loads; one by id also for the ask before it of the same character, whose
    turn belongs into its prompt. A deadline ends a waiting ask with a fallback line. A choose is an ask in all this.

    Args:
        clients: whose characters are asked.
        send: sends a message to a client.
        fallbacks: the engine's too, so that no character says the same one twice running.
        clock: the engine's.
        summariser: tells the turns that no longer fit into a prompt; None to leave them out of it.

    Attributes:
        engine: None until the model is loaded; used by nobody else.
        closed: once set, every new ask is answered with it.
    """

    def __init__(
        self,
        clients: Clients,
        send: Callable[[bytes, Message], None],
        fallbacks: FallbackLines,
        clock: Callable[[], float] = time.perf_counter,
        summariser: Summariser | None = None,
    ) -> None:
        self.engine: Engine | None = None
        self.closed: PalaverError | None = None
        self._clients = clients
        self._send = send
        self._fallbacks = fallbacks
        self._clock = clock
        self._summariser = summariser
        self._open = OpenAsks()

    def __len__(self) -> int:
        """Asks that have not ended."""
        return len(self._open)

    def has(self, client: bytes, request: int | None) -> bool:
        """Whether this request of this client is an open ask."""
        return self._open.has(client, request)

    def submit(self, client: bytes, message: Ask | Choose) -> None:
        """Take an ask in; what becomes of it is sent.

        Raises:
            PalaverError: it is not taken ("duplicate-request", "unknown-npc", "npc-busy", "busy", or `closed`).
        """
        if self.closed is not None:
            raise self.closed
        if self._open.has(client, message.request):
            raise RequestError(
                f"request {message.request} is still open", "Give each ask a new id", code="duplicate-request"
            )
        ask = OpenAsk(client, message, self._clock())
        if message.by_id:
            self._clients.known(*ask.speaker)
        earlier = self._open.of_speaker(ask.speaker)
        if earlier and ask.wanted.policy is Policy.REJECT:
            raise npc_busy_error()
        replaced = earlier if ask.wanted.policy is Policy.REPLACE else []
        if len(self._open) - len(replaced) >= MAX_OPEN_JOBS:
            raise busy_error(MAX_OPEN_JOBS)
        # The engine tells of those that it has itself.
        for older in replaced:
            if older.job_id is None:
                self._fail(older, replaced_error())
        self._open.add(ask)
        self._start_waiting()

    def cancel(self, client: bytes, request: int) -> bool:
        """Forget an ask without another word; False if it was not open."""
        ask = self._open.take_request(client, request)
        if ask is not None:
            self._stop(ask)
            self._start_waiting()
        return ask is not None

    def cancel_npc(self, client: bytes, npc_id: str) -> list[int]:
        """Forget the open asks of a character without another word; their request ids."""
        asks = self._open.of_speaker((client, npc_id))
        for ask in asks:
            self._open.take(ask)
            self._stop(ask)
        return [ask.request for ask in asks]

    def drop(self, client: bytes) -> None:
        """Forget all asks of a client that is gone."""
        for ask in self._open.take_all(client):
            self._stop(ask)

    def close(self, error: PalaverError) -> None:
        """End every open ask with this error, and every one that still comes."""
        self.closed = error
        for ask in self._open.take_all():
            self._stop(ask)
            self._send(ask.client, ErrorReply.of(ask.request, error))

    def wait_s(self) -> float:
        """Seconds for which `run` has nothing to do unless something comes in; infinite when there is nothing."""
        now_s = self._clock()
        first_s = min((ask.deadline_s for ask in self._open.waiting()), default=math.inf)
        return max(0.0, min(first_s - now_s, math.inf if self.engine is None else self.engine.wait_s()))

    def run(self) -> None:
        """End what has waited too long, and do at most one unit of compute."""
        now_s = self._clock()
        for ask in self._open.waiting():
            if ask.deadline_s <= now_s and self._open.take(ask):
                self._send(ask.client, self._late_reply(ask, now_s))
        if self.engine is not None:
            for outcome in self.engine.step():
                self._report(outcome)

    def use(self, engine: "Engine") -> None:
        """The model is loaded: hand over what has waited for it."""
        self.engine = engine
        self._start_waiting()

    def _start_waiting(self) -> None:
        if self.engine is None:
            return
        talking: set[Speaker] = {ask.speaker for ask in self._open if ask.message.by_id and ask.job_id is not None}
        for ask in self._open.waiting():
            # Its client may have been found gone when the one before it was told of an error.
            if not self._open.has(ask.client, ask.request):
                continue
            if ask.message.by_id and ask.wanted.policy is not Policy.REPLACE and ask.speaker in talking:
                continue
            try:
                self._start(self.engine, ask)
                talking |= {ask.speaker} if ask.message.by_id else set()
            except PalaverError as error:
                self._fail(ask, error)
            # One ask that meets a defect must not take the others down.
            except Exception as error:
                _log.exception("an ask could not be submitted")
                problem = f"{type(error).__name__}: {error}"
                self._fail(ask, PalaverError(problem, "Please report this", code="internal"))

    def _start(self, engine: "Engine", ask: OpenAsk) -> None:
        now_s, wanted = self._clock(), ask.wanted
        if wanted.deadline_ms is not None:
            left_ms = math.ceil((ask.deadline_s - now_s) * 1000.0)
            wanted = replace(wanted, deadline_ms=max(1, left_ms))
        if ask.message.by_id:
            wanted = self.remembering(ask.client, wanted)
            if self._summariser is not None:
                wanted = self._summarised(engine, ask, wanted, self._summariser)
        self._open.start(ask, self._submit(engine, ask, wanted), now_s)

    def remembering(self, client: bytes, wanted: Wanted) -> Wanted:
        """A request by id with all that is known of its character. Raises RequestError ("unknown-npc")."""
        known = self._clients.known(client, wanted.npc.id)
        turns, summary, world = known.memory.turns, known.memory.summary, self._clients.world(client)
        return replace(wanted, npc=known.npc, history=turns, summary=summary, world=world)

    def _summarised(self, engine: "Engine", ask: OpenAsk, wanted: Wanted, summariser: Summariser) -> Wanted:
        """The same, when turns that its prompt does not tell were handed to the summariser."""
        memory = self._clients.known(*ask.speaker).memory
        shorter = condensed(memory, engine.prompt(wanted).turns, summariser)
        if shorter is memory or not self._clients.remember(*ask.speaker, shorter):
            return wanted
        self._send(ask.client, Summary(ask.request, wanted.npc.id, shorter.summary, len(shorter.turns)))
        return replace(wanted, history=shorter.turns, summary=shorter.summary)

    def _submit(self, engine: "Engine", ask: OpenAsk, wanted: AskRequest | ChooseRequest) -> int:
        # The same character of two games is two: neither may replace or hold up the other's.
        if isinstance(wanted, ChooseRequest):
            return engine.submit_choice(wanted, owner=ask.client)
        on_draft = None if wanted.draft_every_ms is None else partial(self._send_draft, ask)
        return engine.submit(wanted, on_draft=on_draft, owner=ask.client)

    def _report(self, outcome: Outcome) -> None:
        ask = self._open.take_job(outcome.job_id)
        if ask is None:
            return
        waited_ms = (ask.started_s - ask.arrived_s) * 1000.0
        if isinstance(outcome, Failed):
            self._send(ask.client, ErrorReply.of(ask.request, outcome.error))
        elif isinstance(outcome, Chosen):
            self._send(ask.client, ChoiceReply(ask.request, _with_wait(outcome.choice, waited_ms)))
        else:
            line = _with_wait(outcome.line, waited_ms)
            if isinstance(ask.message, Ask) and ask.message.by_id and ask.message.record and line.source != "fallback":
                self._remember(ask, line)
            self._send(ask.client, LineReply(ask.request, line))
        self._start_waiting()

    def _remember(self, ask: OpenAsk, line: Line) -> None:
        known = self._clients.find(*ask.speaker)
        if known is not None:
            self._clients.remember(*ask.speaker, known.memory.with_turn((ask.wanted.text, line.remembered)))

    def _late_reply(self, ask: OpenAsk, now_s: float) -> Message:
        """What was settled beforehand, for an ask whose deadline has passed while it waited."""
        waited_ms = round((now_s - ask.arrived_s) * 1000.0, 3)
        wanted = ask.wanted
        if isinstance(wanted, ChooseRequest):
            return ChoiceReply(ask.request, Choice.first(len(wanted.options), "deadline", waited_ms))
        known = self._clients.find(*ask.speaker) if ask.message.by_id else None
        npc = wanted.npc if known is None else known.npc
        seed = seed_of(wanted)
        authored = self._fallbacks.choose(ask.speaker, npc, seed, wanted.situation)
        self._fallbacks.note(ask.speaker, authored)
        text = written_beforehand(wanted.template, wanted.must_include, authored)
        return LineReply(ask.request, Line.written_beforehand(text, "deadline", seed, waited_ms))

    def _fail(self, ask: OpenAsk, error: PalaverError) -> None:
        if self._open.take(ask):
            self._send(ask.client, ErrorReply.of(ask.request, error))

    def _stop(self, ask: OpenAsk) -> None:
        if self.engine is not None and ask.job_id is not None:
            self.engine.cancel(ask.job_id)

    def _send_draft(self, ask: OpenAsk, draft: Draft) -> None:
        self._send(ask.client, DraftReply.of(ask.request, draft))


def _with_wait(told: Told, waited_ms: float) -> Told:
    """The line or choice, with the time before it became a job counted in."""
    if waited_ms <= 0.0:
        return told
    timings = told.timings
    queue_ms, total_ms = round(timings.queue_ms + waited_ms, 3), round(timings.total_ms + waited_ms, 3)
    return replace(told, timings=replace(timings, queue_ms=queue_ms, total_ms=total_ms))
