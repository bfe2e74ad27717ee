"""The calls of a client that ask for lines and choices."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack, cast

from runtime.choice import Choice, ChooseOptions, ChooseRequest
from runtime.client_asks import WATCHDOG_MARGIN_S, Answer, AskInFlight
from runtime.client_session import ClientSession
from runtime.errors import PalaverError
from runtime.line import Line
from runtime.messages import Ask, Cancel, Choose, DraftReply
from runtime.npc import Npc
from runtime.request import AskOptions, AskRequest
from runtime.wire import encode


class AskCalls:
    """Part of `PalaverClient`."""

    _session: ClientSession
    _ask_timeout_s: float

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
        """The character's answer; blocks until it is there. Arguments and errors as for `submit`.

        Raises:
            PalaverError: `on_draft` has ended this ask, by `cancel`, `load_npc` or `forget_npc` ("cancelled").
        """
        request = self.submit(
            npc, text, on_draft=on_draft, draft_every_ms=draft_every_ms, record=record, timeout_s=timeout_s, **options
        )
        return cast(Line, self._answer(request))

    def choose(
        self,
        npc: Npc | str,
        text: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        **more: Unpack[ChooseOptions],
    ) -> Choice:
        """Which of several answers fits best; blocks until that is known. Arguments as of `submit_choice`."""
        return cast(Choice, self._answer(self.submit_choice(npc, text, options, timeout_s=timeout_s, **more)))

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
            options: seed, steps, deadline_ms and the like, as of `AskRequest`; `history`, `world` and `summary` only
                with a persona.

        Raises:
            RequestError: an argument is outside its limits, or there is no such character ("unknown-npc"); nothing was
                sent.
        """
        persona = self._session.npcs.get(npc) if isinstance(npc, str) else npc
        every_ms = None if on_draft is None else draft_every_ms
        wanted = AskRequest(persona, text, draft_every_ms=every_ms, **options)
        message = Ask(next(self._session.ids), wanted, by_id=isinstance(npc, str), record=record)
        self._submit(AskInFlight(message, persona, time.monotonic(), timeout_s or self._ask_timeout_s, on_draft))
        return message.request

    def submit_choice(
        self,
        npc: Npc | str,
        text: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        **more: Unpack[ChooseOptions],
    ) -> int:
        """Let a character choose without waiting; returns the request id that `poll` answers with and `cancel` takes.

        Args:
            npc: id of a character of `put_npc`, or a persona; nothing is remembered.
            text: what the player says.
            options: 2 to 16 answers that the character may give.
            timeout_s: how long the choice may take without a deadline.
            more: deadline_ms, priority, policy; `history`, `world` and `summary` only with a persona.

        Raises:
            RequestError: an argument is outside its limits, or there is no such character ("unknown-npc"); nothing was
                sent.
        """
        persona = self._session.npcs.get(npc) if isinstance(npc, str) else npc
        wanted = ChooseRequest(persona, text, options, **more)
        message = Choose(next(self._session.ids), wanted, by_id=isinstance(npc, str))
        self._submit(AskInFlight(message, persona, time.monotonic(), timeout_s or self._ask_timeout_s, None))
        return message.request

    def cancel(self, request: int) -> bool:
        """Give up a submitted request, which then ends without an answer; whether it was still open."""
        ask = self._session.asks.find(request)
        if ask is None:
            return False
        self._session.asks.give_up(ask)
        self._session.link.send(Cancel(next(self._session.ids), request))
        return True

    def poll(self) -> list[tuple[int, Answer]]:
        """What has ended since the last call, without waiting: each submitted request comes up once.

        The answer to one of `submit` is a Line, to one of `submit_choice` a Choice. Requests that `cancel`, `load_npc`
        or `forget_npc` has dropped never come up.
        """
        self._session.pump()
        return self._session.asks.take_all()

    def _submit(self, ask: AskInFlight) -> None:
        # Refuses what would be too large, before anything is changed.
        encode(ask.message)
        if ask.wanted.deadline_ms is not None:
            ask = replace(ask, limit_s=ask.wanted.deadline_ms / 1000.0 + WATCHDOG_MARGIN_S)
        self._session.asks.add(ask)
        if self._session.ready:
            self._session.link.send(ask.message)

    def _answer(self, request: int) -> Answer:
        """Wait for what becomes of a submitted request."""
        try:
            # Its watchdog ends it in any case, unless a draft's callback does.
            self._session.until(lambda: self._session.asks.find(request) is None, math.inf)
        except BaseException:
            self.cancel(request)
            raise
        if not self._session.asks.has_ended(request):
            raise PalaverError("the ask was cancelled", code="cancelled")
        return self._session.asks.take(request)
