"""Engine and sidecar with a model in slices: whatever is said to them is heard between two slices."""

import msgpack
import pytest
import zmq

from runtime.bundle import load_bundle
from runtime.choice import ChooseRequest
from runtime.engine import Engine
from runtime.request import AskRequest
from runtime.session import StepSession
from runtime.sidecar import start_sidecar
from runtime.step_cost import PassKind, Shape

WAIT_MS = 30_000
MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith", "knowledge": ["The iron sword costs 40 gold."]}


@pytest.fixture(scope="module")
def engine_of():
    """Makes engines for a folder; a folder is loaded once."""
    sessions = {}

    def make(folder):
        bundle = load_bundle(folder)
        if folder not in sessions:
            sessions[folder] = StepSession(bundle)
        return Engine(bundle, session=sessions[folder])

    return make


def lines(engine, requests):
    jobs = {engine.submit(request): request.seed for request in requests}
    found = {}
    while not engine.idle:
        found |= {jobs[outcome.job_id]: outcome.line for outcome in engine.step()}
    return {seed: (line.text, line.confidence) for seed, line in found.items()}


def units_until_the_end(engine):
    """The kind and part of each unit that runs until nothing is left."""
    units = []
    while not engine.idle:
        (opened,) = engine._open.values()
        unit = engine._compute.next_unit(opened.job)
        units.append((unit.kind, unit.part))
        engine.step()
    return units


def test_lines_are_those_of_the_whole_graph(engine_of, tiny_bundle, tiny_slices, mira):
    requests = [AskRequest(mira, f"What do you sell, {seed}?", seed, steps=3, max_tokens=20) for seed in range(6)]
    assert lines(engine_of(tiny_slices[3]), requests) == lines(engine_of(tiny_bundle), requests)


def test_a_unit_is_one_slice(engine_of, tiny_slices, mira):
    engine = engine_of(tiny_slices[3])
    engine.submit(AskRequest(mira, "Hello", 3, steps=2, max_tokens=8))
    units = units_until_the_end(engine)
    encodes = [part for kind, part in units if kind is PassKind.ENCODE]
    steps = [part for kind, part in units if kind is PassKind.DENOISE]
    assert encodes == [0, 1] * (len(encodes) // 2)
    assert steps == [0, 1, 2] * (len(steps) // 3)
    assert encodes and steps


def test_the_cost_of_every_slice_is_known_after_a_calibration(engine_of, tiny_slices):
    engine = engine_of(tiny_slices[3])
    engine.calibrate()
    geometry = engine.bundle.manifest.geometry
    costs = [
        engine._compute.cost.expected_s(Shape(PassKind.DENOISE, geometry.canvas_length, 128, part=part))
        for part in range(3)
    ]
    assert min(costs) > 0.0
    assert [engine._compute.cost.expected_s(Shape(PassKind.ENCODE, 64, 64, part=part)) > 0.0 for part in range(3)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("kind", list(PassKind))
def test_a_cancel_between_two_slices_ends_the_job_there_and_no_other(engine_of, tiny_slices, mira, kind):
    request = AskRequest(mira, "Hello", 3, steps=2, max_tokens=8)
    expected = lines(engine_of(tiny_slices[3]), [request])
    engine = engine_of(tiny_slices[3])
    if kind is PassKind.SCORE:
        job_id = engine.submit_choice(ChooseRequest(mira, "What do you sell?", ("Aye.", "Nay.")))
    else:
        job_id = engine.submit(AskRequest(mira, "What do you sell?", 4, steps=5))
    unit = engine._compute.next_unit(engine._open[job_id].job)
    while (unit.kind, unit.part) != (kind, 1):
        engine.step()
        unit = engine._compute.next_unit(engine._open[job_id].job)
    assert engine.cancel(job_id)
    assert engine.idle
    assert engine.step() == ()
    assert lines(engine, [request]) == expected


def test_a_sidecar_answers_while_a_line_is_made(tiny_slices):
    with (
        start_sidecar(tiny_slices[3], secret="") as sidecar,
        zmq.Context() as context,
        context.socket(zmq.DEALER) as socket,
    ):
        socket.linger = 0
        socket.connect(f"tcp://127.0.0.1:{sidecar.port}")

        def hear():
            assert socket.poll(WAIT_MS), "no reply"
            return msgpack.unpackb(socket.recv())

        def say(**message):
            socket.send(msgpack.packb(message))

        say(type="hello", request=1, protocol=1)
        assert hear()["type"] == "welcome"
        # Some seconds of work even for the tiny model.
        say(type="ask", request=2, npc=MIRA, text="Hello", seed=1, steps=1000, max_tokens=2000)
        for request in range(3, 13):
            say(type="ping", request=request)
            assert hear() == {"type": "pong", "request": request}
        say(type="cancel", request=13, target=2)
        ends = [hear(), hear()]
        assert {"type": "cancelled", "request": 13, "target": 2, "found": True} in ends
        assert [(end["request"], end["code"]) for end in ends if end["type"] == "error"] == [(2, "cancelled")]
