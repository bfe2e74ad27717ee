"""The Python client: asks a sidecar for lines. The reference for the other bindings.

    with start_sidecar() as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(npc)
        line = client.ask(npc.id, "What do you sell?")

A game loop calls `submit` when something is said, and `tick` and `poll` once a frame; none of them waits.
"""

import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, Unpack

from runtime.client_asks import WATCHDOG_MARGIN_S, AskInFlight
from runtime.client_link import LinkState
from runtime.client_session import ClientSession
from runtime.errors import PalaverError, RequestError
from runtime.line import Line
from runtime.messages import (
    Ask,
    Budget,
    Bye,
    Cancel,
    DraftReply,
    NpcForget,
    NpcLoad,
    NpcPut,
    Ok,
    Ping,
    Pong,
    Report,
    Stats,
    Tick,
    Welcome,
)
from runtime.npc import Npc
from runtime.request import AskOptions, AskRequest
from runtime.sidecar import Sidecar, start_sidecar
from runtime.wire import encode

__all__ = ["LinkState", "PalaverClient", "Sidecar", "start_sidecar"]

ASK_TIMEOUT_S = 30.0
REPLY_TIMEOUT_S = 10.0


class PalaverClient:
    """A client of a sidecar on this machine; for one thread.

    Every ask ends with a line: when the sidecar is gone, silent, or answers with an error, the client makes one of the
    character's fallback lines, whose `finish_reason` is "unreachable", "timeout", or the error's code. A lost
    connection comes back by itself, with the characters and what was said to them.

    Args:
        where: the sidecar, or its port from its READY line.
        secret: what a sidecar that is given by its port was started with.
        wait_s: how long to wait for the sidecar's welcome; 0 to return at once.
        ask_timeout_s: how long an ask without a deadline may take.

    Raises:
        PalaverError: code "timeout" when nobody answers in that time; "wrong-secret" or "protocol-version" when the
            sidecar refuses this client.
    """

    def __init__(
        self,
        where: Sidecar | int,
        *,
        secret: str | None = None,
        wait_s: float = REPLY_TIMEOUT_S,
        ask_timeout_s: float = ASK_TIMEOUT_S,
    ) -> None:
        port, known_secret = (where.port, where.secret) if isinstance(where, Sidecar) else (where, secret)
        self._ask_timeout_s = ask_timeout_s
        self._session = ClientSession(port, known_secret)
        try:
            if wait_s > 0.0:
                self._session.until(lambda: self._session.ready, wait_s)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def state(self) -> LinkState:
        """How far the connection has come."""
        return self._session.link.state

    @property
    def welcome(self) -> Welcome:
        """What the sidecar said of itself and its model. Raises PalaverError ("unreachable") before it has."""
        if self._session.link.welcome is None:
            raise PalaverError(
                "the sidecar has not said welcome yet", "Poll until the state is READY", code="unreachable"
            )
        return self._session.link.welcome

    def close(self) -> None:
        """Drop the connection, and all asks with it."""
        self._session.link.close()

    def put_npc(self, npc: Npc) -> None:
        """Let there be this character, or another persona for it; what was said to it so far stays.

        Raises:
            RequestError: the persona is larger than a message may be.
            PalaverError: the sidecar takes no more. While there is no connection the character is put later.
        """
        message = NpcPut(next(self._session.ids), npc)
        encode(message)
        self._session.npcs.put(npc)
        if self._session.ready:
            self._session.exchange(message, Ok, REPLY_TIMEOUT_S)

    def get_npc(self, npc_id: str) -> Npc:
        """A character's persona. Raises RequestError ("unknown-npc")."""
        return self._session.npcs.get(npc_id)

    def forget_npc(self, npc_id: str) -> None:
        """Drop a character and its turns; its open asks are cancelled. Raises RequestError ("unknown-npc")."""
        self._session.npcs.get(npc_id)
        self._cancel_npc(npc_id)
        self._session.npcs.forget(npc_id)
        self._session.link.send(NpcForget(next(self._session.ids), npc_id))

    def save_npc(self, npc_id: str) -> str:
        """What was said to and by a character, as text for a saved game. Raises RequestError ("unknown-npc")."""
        return self._session.npcs.save(npc_id)

    def load_npc(self, data: str) -> str:
        """Let what was said be as in this text of `save_npc`; the character's open asks are cancelled.

        Returns its id.

        Raises:
            RequestError: the text cannot be read ("bad-save", "save-version"), or is of a character that was not put
                ("unknown-npc"); nothing has changed then.
        """
        npc_id = self._session.npcs.load(data)
        self._cancel_npc(npc_id)
        self._session.link.send(NpcLoad(next(self._session.ids), data))
        return npc_id

    def ask(
        self,
        npc: Npc | str,
        text: str,
        *,
        on_draft: Callable[[DraftReply], None] | None = None,
        draft_every_ms: int = 0,
        record: bool = True,
        timeout_s: float | None = None,
        **options: Unpack[AskOptions],
    ) -> Line:
        """The character's answer; blocks until it is there. Arguments and errors as for `submit`."""
        request = self.submit(
            npc, text, on_draft=on_draft, draft_every_ms=draft_every_ms, record=record, timeout_s=timeout_s, **options
        )
        try:
            # Its watchdog ends it in any case.
            self._session.until(lambda: self._session.asks.has_ended(request), math.inf)
        except BaseException:
            self.cancel(request)
            raise
        return self._session.asks.take(request)

    def submit(
        self,
        npc: Npc | str,
        text: str,
        *,
        on_draft: Callable[[DraftReply], None] | None = None,
        draft_every_ms: int = 0,
        record: bool = True,
        timeout_s: float | None = None,
        **options: Unpack[AskOptions],
    ) -> int:
        """Ask without waiting; returns the request id that `poll` answers with and `cancel` takes.

        Args:
            npc: id of a character of `put_npc`, which then remembers this turn; or a persona, which remembers nothing.
            text: what the player says.
            on_draft: called with the line so far, from inside `poll` and whatever else waits for a reply.
            draft_every_ms: least time between two drafts; 0 for one after each step.
            record: let a character of `put_npc` remember this turn.
            timeout_s: how long the line may take without a deadline.
            options: seed, steps, deadline_ms and the like, as of `AskRequest`; `history` only with a persona.

        Raises:
            RequestError: an argument is outside its limits, or there is no such character ("unknown-npc"); nothing was
                sent.
        """
        persona = self._session.npcs.get(npc) if isinstance(npc, str) else npc
        every_ms = None if on_draft is None else draft_every_ms
        wanted = AskRequest(persona, text, draft_every_ms=every_ms, **options)
        if isinstance(npc, str) and wanted.history:
            raise RequestError("history cannot go with the id of a character", "Ask with its persona, or leave it out")
        limit_s = timeout_s or self._ask_timeout_s
        if wanted.deadline_ms is not None:
            limit_s = wanted.deadline_ms / 1000.0 + WATCHDOG_MARGIN_S
        message = Ask(next(self._session.ids), wanted, by_id=isinstance(npc, str), record=record)
        # Refuses what would be too large, before anything is changed.
        encode(message)
        ask = AskInFlight(message, persona, time.monotonic(), limit_s, on_draft)
        self._session.asks.add(ask)
        if self._session.ready:
            self._session.link.send(message)
        return message.request

    def cancel(self, request: int) -> bool:
        """Give up a submitted request, which then ends without a line; whether it was still open."""
        ask = self._session.asks.find(request)
        if ask is None:
            return False
        self._session.asks.give_up(ask)
        self._session.link.send(Cancel(next(self._session.ids), request))
        return True

    def poll(self) -> list[tuple[int, Line]]:
        """What has ended since the last call, without waiting: each submitted request comes up once."""
        self._session.pump()
        return self._session.asks.take_all()

    def tick(self, frame: int, budget_ms: float) -> None:
        """Tell that a frame begins in which the sidecar may compute for `budget_ms`, 0 to 1000; never waits.

        Compute happens only inside these budgets from the first tick on, until `set_budget`.
        """
        self._session.budget = None
        # Where ticks pile up, nobody computes either: one more would not help.
        self._session.link.send(Tick(frame, float(budget_ms)))

    def set_budget(self, max_load: float, fps: float = 60.0) -> None:
        """Let the sidecar pace itself: at most `max_load` of one core (0.001 to 1), spread over the frames."""
        budget = Budget(next(self._session.ids), float(max_load), float(fps))
        self._session.budget = (budget.max_load, budget.fps)
        if self._session.ready:
            self._session.exchange(budget, Ok, REPLY_TIMEOUT_S)

    def ping(self, *, timeout_s: float = REPLY_TIMEOUT_S) -> float:
        """Seconds until the sidecar answered. Raises PalaverError ("timeout")."""
        began_s = time.perf_counter()
        self._session.exchange(Ping(next(self._session.ids)), Pong, timeout_s)
        return time.perf_counter() - began_s

    def stats(self, *, timeout_s: float = REPLY_TIMEOUT_S) -> Report:
        """How the sidecar is doing. Raises PalaverError ("timeout")."""
        return self._session.exchange(Stats(next(self._session.ids)), Report, timeout_s)

    def bye(self, *, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        """End the sidecar. Raises PalaverError ("timeout")."""
        self._session.exchange(Bye(next(self._session.ids)), Ok, timeout_s)

    def _cancel_npc(self, npc_id: str) -> None:
        """The sidecar ends these asks by itself when it is told of the reason."""
        for ask in self._session.asks:
            if ask.message.by_id and ask.npc.id == npc_id:
                self._session.asks.drop(ask)
