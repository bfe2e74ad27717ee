"""Which client's request is which job: the sidecar's book of asks that have not ended yet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenAsk:
    """One ask: the client's routing id, the request id that the client chose, the engine's job."""

    client: bytes
    request: int
    job_id: int


class OpenAsks:
    """Asks by job and by (client, request); whatever is taken out is closed."""

    def __init__(self) -> None:
        self._by_job: dict[int, OpenAsk] = {}
        self._by_request: dict[tuple[bytes, int], OpenAsk] = {}

    def has(self, client: bytes, request: int | None) -> bool:
        """Whether this request of this client is open."""
        return request is not None and (client, request) in self._by_request

    def add(self, ask: OpenAsk) -> None:
        self._by_job[ask.job_id] = ask
        self._by_request[ask.client, ask.request] = ask

    def take_job(self, job_id: int) -> OpenAsk | None:
        ask = self._by_job.pop(job_id, None)
        if ask is not None:
            del self._by_request[ask.client, ask.request]
        return ask

    def take_request(self, client: bytes, request: int) -> OpenAsk | None:
        ask = self._by_request.get((client, request))
        return None if ask is None else self.take_job(ask.job_id)

    def take_all(self, client: bytes | None = None) -> list[OpenAsk]:
        """Close all asks, or all of one client, oldest first."""
        taken = [ask for ask in self._by_job.values() if client in (None, ask.client)]
        for ask in taken:
            self.take_job(ask.job_id)
        return taken
