"""The sidecar's book of asks and chooses that have not ended: whose they are, and which of them the engine has."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from runtime.choice import ChooseRequest
from runtime.messages import Ask, Choose
from runtime.request import AskRequest

Speaker = tuple[bytes, str]
"""A client and the id of one of its characters."""


@dataclass(slots=True)
class OpenAsk:
    """One ask or choose, waiting until `job_id` is set.

    Attributes:
        client: routing id of who asks.
        message: what it asks.
        arrived_s: when it came, in seconds of the sidecar's clock.
        job_id: the engine's job; None while it waits.
        started_s: when it became a job.
    """

    client: bytes
    message: Ask | Choose
    arrived_s: float
    job_id: int | None = None
    started_s: float = math.nan

    @property
    def request(self) -> int:
        """The id that the client chose."""
        return self.message.request

    @property
    def wanted(self) -> AskRequest | ChooseRequest:
        """What it asks for."""
        return self.message.ask if isinstance(self.message, Ask) else self.message.choose

    @property
    def speaker(self) -> Speaker:
        """Who is asked."""
        return self.client, self.wanted.npc.id

    @property
    def deadline_s(self) -> float:
        """When it has to have ended; infinite for no limit."""
        limit_ms = self.wanted.deadline_ms
        return math.inf if limit_ms is None else self.arrived_s + limit_ms / 1000.0


class OpenAsks:
    """Asks by (client, request) and by job, in the order in which they came; whatever is taken out is closed."""

    def __init__(self) -> None:
        self._by_request: dict[tuple[bytes, int], OpenAsk] = {}
        self._by_job: dict[int, OpenAsk] = {}

    def __len__(self) -> int:
        return len(self._by_request)

    def __iter__(self) -> Iterator[OpenAsk]:
        return iter(self._by_request.values())

    def has(self, client: bytes, request: int | None) -> bool:
        """Whether this request of this client is open."""
        return request is not None and (client, request) in self._by_request

    def add(self, ask: OpenAsk) -> None:
        """Open an ask that waits."""
        self._by_request[ask.client, ask.request] = ask

    def start(self, ask: OpenAsk, job_id: int, now_s: float) -> None:
        """A waiting ask has become a job of the engine."""
        ask.job_id, ask.started_s = job_id, now_s
        self._by_job[job_id] = ask

    def of_speaker(self, speaker: Speaker) -> list[OpenAsk]:
        """Asks of one character, oldest first."""
        return [ask for ask in self._by_request.values() if ask.speaker == speaker]

    def waiting(self) -> list[OpenAsk]:
        """Asks that the engine does not have, oldest first."""
        return [ask for ask in self._by_request.values() if ask.job_id is None]

    def take(self, ask: OpenAsk) -> bool:
        """Close an ask; whether it was open."""
        if self._by_request.get((ask.client, ask.request)) is not ask:
            return False
        del self._by_request[ask.client, ask.request]
        if ask.job_id is not None:
            del self._by_job[ask.job_id]
        return True

    def take_job(self, job_id: int) -> OpenAsk | None:
        """Close the ask of a job, if it is open."""
        ask = self._by_job.get(job_id)
        if ask is not None:
            self.take(ask)
        return ask

    def take_request(self, client: bytes, request: int) -> OpenAsk | None:
        """Close a client's request, if it is open."""
        ask = self._by_request.get((client, request))
        if ask is not None:
            self.take(ask)
        return ask

    def take_all(self, client: bytes | None = None) -> list[OpenAsk]:
        """Close all asks, or all of one client, oldest first."""
        taken = [ask for ask in self._by_request.values() if client in (None, ask.client)]
        for ask in taken:
            self.take(ask)
        return taken
