"""The Python client: asks a sidecar for lines. The reference for the other bindings.

    with start_sidecar() as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(npc)
        line = client.ask(npc.id, "What do you sell?")

A game loop calls `submit` when something is said, and `tick` and `poll` once a frame; none of them waits.
"""

import time
from types import TracebackType
from typing import Self

from runtime.client_asking import AskCalls
from runtime.client_characters import CharacterCalls
from runtime.client_link import LinkState
from runtime.client_session import REPLY_TIMEOUT_S, ClientSession
from runtime.errors import PalaverError
from runtime.messages import (
    Budget,
    Bye,
    Ok,
    Ping,
    Pong,
    Report,
    Stats,
    Tick,
    Welcome,
)
from runtime.sidecar import Sidecar, start_sidecar

__all__ = ["LinkState", "PalaverClient", "Sidecar", "start_sidecar"]

ASK_TIMEOUT_S = 30.0


class PalaverClient(CharacterCalls, AskCalls):
    """A client of a sidecar on this machine; for one thread.

    Every ask ends with a line: when the sidecar is gone, silent, or answers with an error, the client makes one of the
    character's fallback lines, whose `finish_reason` is "unreachable", "timeout", or the error's code. A choice is then
    the first option. A lost connection comes back by itself, with the world, the characters and what they remember.

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
