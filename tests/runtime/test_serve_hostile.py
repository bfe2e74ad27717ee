"""A live sidecar among programs that do not know what they say: it bears them, and serves its own game all along."""

import itertools
import sys
import threading
import time

import pytest

from runtime import Npc
from runtime.client import PalaverClient, start_sidecar
from tests.hostile import hostile_frames, storm

FRAMES = 10_000
STORMS = 200
MOST_GROWTH_MB = 10.0

MIRA = Npc("smith", "Mira", "blacksmith")


class GoodGame(threading.Thread):
    """Asks one line after another until it is told to stop."""

    def __init__(self, sidecar):
        super().__init__()
        self.sources = []
        self.slowest_ping_s = 0.0
        self._client = PalaverClient(sidecar)
        self._client.put_npc(MIRA)
        self._stopping = threading.Event()

    def run(self):
        while not self._stopping.is_set():
            # A random model says nothing now and then: of these seeds it is known that they give a line.
            seed = 1 + len(self.sources) % 8
            line = self._client.ask("smith", "Hello", seed=seed, record=False, steps=2, max_tokens=4)
            self.sources.append(line.source)
            self.slowest_ping_s = max(self.slowest_ping_s, self._client.ping())

    def stop(self):
        self._stopping.set()
        self.join(60.0)
        self._client.close()


@pytest.fixture
def secured(tiny_bundle):
    """A sidecar that only its own game knows, with a game that talks to it, and a client that watches."""
    with start_sidecar(tiny_bundle) as sidecar, PalaverClient(sidecar) as watcher:
        game = GoodGame(sidecar)
        game.start()
        while len(game.sources) < 20:
            time.sleep(0.01)
        try:
            yield sidecar, game, watcher
        finally:
            game.stop()
        assert set(game.sources) == {"model"}
        assert sidecar.process.poll() is None


def said_while(game, work):
    """How many lines the game got while `work` was done."""
    before = len(game.sources)
    work()
    return len(game.sources) - before


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS tells the most memory that a process ever had")
def test_hostile_frames_and_storms_do_no_harm_and_leave_no_memory_behind(secured, connect):
    sidecar, game, watcher = secured

    def frames_of(*, count, seed, greeted):
        talker = connect(sidecar.port, sndhwm=64)
        if greeted:
            talker.hello(secret=sidecar.secret)
        for frame in hostile_frames(count, seed):
            talker.say(frame)
            while talker.socket.poll(0):
                talker.socket.recv()
        # All before this was read by then.
        talker.say({"type": "ping", "request": 77})
        while talker.hear() != {"type": "pong", "request": 77}:
            pass
        talker.socket.close()

    def batch(number, part=10):
        """A tenth of everything, from strangers and from clients that were welcomed."""
        for greeted in (False, True):
            frames_of(count=FRAMES // (2 * part), seed=2 * number + greeted, greeted=greeted)
        storm(sidecar.port, STORMS // part, seed=number)

    # What is loaded, cached and pooled in the first tenth stays; what grows with every further one would be a leak.
    batch(0)
    before_mb = watcher.stats().memory_mb
    lines = [said_while(game, lambda number=number: batch(number)) for number in range(1, 11)]
    assert watcher.stats().memory_mb - before_mb < MOST_GROWTH_MB
    assert min(lines) > 0
    assert watcher.stats().errors > FRAMES // 4


def test_a_flood_of_large_messages_of_strangers_is_not_even_read(secured, connect):
    sidecar, game, _ = secured
    nest = b"\x82\xa4type\xa4ping\xa1x\xdc\x04\x00" + (b"\xdc\x04\x00" + b"\x90" * 1024) * 1000
    stranger = connect(sidecar.port, sndhwm=1000)

    def flood():
        for _ in range(100):
            stranger.say(nest)
        codes = [stranger.hear()["code"] for _ in range(100)]
        assert set(codes) == {"message-too-large"}

    assert said_while(game, flood) > 0


def test_connections_that_never_finish_their_greeting_are_closed(secured):
    import socket

    sidecar, _, _ = secured
    with socket.create_connection(("127.0.0.1", sidecar.port)) as connection:
        connection.settimeout(20.0)
        # The sidecar's own greeting comes, and then the end.
        heard = list(itertools.takewhile(bool, iter(lambda: connection.recv(4096), None)))
    assert b"".join(heard)[:1] == b"\xff"
