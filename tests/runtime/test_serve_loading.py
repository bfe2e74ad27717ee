"""A sidecar whose model takes as long to load as the test wants: what is answered meanwhile, and what waits."""

import contextlib
import threading

import pytest
import zmq

from runtime.errors import BundleError, PalaverError
from runtime.fallback import FallbackLines
from runtime.messages import ModelFacts
from runtime.process.loading import Loading, load_engine
from runtime.process.wake import Wake
from runtime.server import Server

MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith", "fallbacks": ["Later."]}
ASK = {"type": "ask", "npc": MIRA, "text": "What do you sell?", "steps": 2, "max_tokens": 4}


class Hosted:
    """A server in a thread of this process. `go_on` lets the loading end."""

    def __init__(self, router, port, wake, load):
        self.port = port
        self.error = None
        self.go_on = threading.Event()
        self._wake = wake
        self._loading = Loading(lambda progress: self._load(load, progress), self._wake.notify)
        facts = ModelFacts("slow", 16, "Apache-2.0")
        self.fallbacks = FallbackLines()
        self._server = Server(router, self._loading, facts, self._wake, self.fallbacks)
        self._thread = threading.Thread(target=self._run)
        self._loading.start()
        self._thread.start()

    def _load(self, load, progress):
        progress(0.25)
        assert self.go_on.wait(60.0)
        return load(progress)

    def _run(self):
        try:
            self._server.run()
        except PalaverError as error:
            self.error = error

    def join(self):
        """Wait until it has ended by itself."""
        self._thread.join(30.0)
        assert not self._thread.is_alive()

    def stop(self):
        self.go_on.set()
        self._wake.stop()
        self.join()


@pytest.fixture
def host(tiny_bundle):
    """Makes servers whose model is loaded by `load`, the tiny one by default."""
    with contextlib.ExitStack() as cleanup:
        context = cleanup.enter_context(zmq.Context())

        def host(load=None):
            router = cleanup.enter_context(context.socket(zmq.ROUTER))
            router.router_mandatory = True
            router.linger = 500
            port = router.bind_to_random_port("tcp://127.0.0.1")
            wake = cleanup.enter_context(Wake())
            hosted = Hosted(router, port, wake, load or (lambda progress: load_engine(tiny_bundle, progress)))
            cleanup.callback(hosted.stop)
            return hosted

        yield host


def test_the_welcome_and_the_report_say_that_it_loads_and_everything_but_asks_is_answered(host, connect):
    hosted = host()
    talker = connect(hosted.port)
    assert talker.asks({"type": "ping", "request": 1})["type"] == "pong"
    welcome = talker.asks({"type": "hello", "request": 2, "protocol": 1})
    assert (welcome["state"], welcome["model"]["name"]) == ("loading", "slow")
    report = talker.put(MIRA).asks({"type": "stats", "request": 3})
    assert (report["state"], report["load_progress"], report["step_ms"]) == ("loading", 0.25, 0.0)
    assert (report["clients"], report["npcs"]) == (1, 1)
    assert talker.asks({"type": "npc.save", "request": 4, "id": "smith"})["type"] == "saved"
    assert talker.asks({"type": "budget", "request": 5, "max_load": 1.0})["type"] == "ok"


def test_asks_wait_for_the_model_and_are_answered_in_their_order(host, connect):
    hosted = host()
    talker = connect(hosted.port).hello().put(MIRA)
    talker.say(ASK | {"request": 2, "npc": "smith"})
    talker.say(ASK | {"request": 3, "npc": "smith", "text": "And?"})
    assert talker.asks({"type": "stats", "request": 4})["open_asks"] == 2
    hosted.go_on.set()
    lines = [talker.hear(), talker.hear()]
    assert [(line["type"], line["request"]) for line in lines] == [("line", 2), ("line", 3)]
    assert lines[0]["timings"]["total_ms"] >= lines[0]["timings"]["queue_ms"] > 0.0
    assert talker.asks({"type": "stats", "request": 5})["state"] == "ready"


def test_a_deadline_counts_from_the_arrival_and_ends_a_waiting_ask_in_a_fallback_line(host, connect):
    hosted = host()
    talker = connect(hosted.port).hello().put(MIRA)
    lines = [talker.asks(ASK | {"request": 2, "npc": npc, "seed": 7, "deadline_ms": 30}) for npc in ("smith", MIRA)]
    assert [(line["source"], line["finish_reason"], line["seed"]) for line in lines] == [
        ("fallback", "deadline", 7)
    ] * 2
    assert lines[0]["text"] == "Later."
    assert lines[1]["text"] in ("...", "Hm.")
    assert all(line["timings"]["total_ms"] >= 30.0 and line["steps_done"] == 0 for line in lines)
    # The engine goes on with what was said last.
    hosted.go_on.set()
    assert talker.asks(ASK | {"request": 3, "deadline_ms": 1, "steps": 1000})["text"] == "Later."


def test_policies_and_cancel_hold_for_asks_that_wait(host, connect):
    talker = connect(host().port).hello()
    talker.say(ASK | {"request": 2})
    assert talker.asks(ASK | {"request": 2})["code"] == "duplicate-request"
    assert talker.asks(ASK | {"request": 3, "policy": "reject"})["code"] == "npc-busy"
    replaced = talker.asks(ASK | {"request": 4, "policy": "replace"})
    assert (replaced["request"], replaced["code"]) == (2, "replaced")
    assert talker.asks({"type": "cancel", "request": 5, "target": 4})["found"]
    assert talker.hear()["code"] == "cancelled"
    for request in range(100, 164):
        talker.say(ASK | {"request": request})
    assert talker.asks(ASK | {"request": 6})["code"] == "busy"


def test_the_budget_that_was_set_while_it_loaded_counts_afterwards(host, connect):
    hosted = host()
    talker = connect(hosted.port).hello()
    talker.say({"type": "tick", "frame": 1, "budget_ms": 0.0})
    talker.say(ASK | {"request": 2})
    hosted.go_on.set()
    while talker.asks({"type": "stats", "request": 3})["state"] == "loading":
        pass
    assert talker.hears_nothing()
    assert talker.asks({"type": "budget", "request": 4, "max_load": 1.0})["type"] == "ok"
    assert talker.hear()["type"] == "line"


def test_a_model_that_cannot_be_loaded_ends_every_open_ask_and_the_sidecar(host, connect):
    def fails(progress):
        raise BundleError("step.onnx.data is damaged", "Copy it again")

    hosted = host(fails)
    one, two = connect(hosted.port).hello(), connect(hosted.port).hello()
    for talker in (one, two):
        talker.say(ASK | {"request": 2})
        talker.say(ASK | {"request": 3})
        assert talker.asks({"type": "ping", "request": 4})["type"] == "pong"
    hosted.go_on.set()
    for talker in (one, two):
        ends = [talker.hear(), talker.hear()]
        assert [(end["request"], end["code"]) for end in ends] == [(2, "bad-bundle"), (3, "bad-bundle")]
        assert (ends[0]["message"], ends[0]["hint"]) == ("step.onnx.data is damaged", "Copy it again")
    hosted.join()
    assert hosted.error.code == "bad-bundle"


def test_it_ends_at_once_while_the_model_loads(host, connect):
    hosted = host()
    talker = connect(hosted.port).hello()
    talker.say(ASK | {"request": 2})
    assert talker.asks({"type": "bye", "request": 3})["type"] == "ok"
    assert talker.hear()["code"] == "shutting-down"
    hosted.join()
