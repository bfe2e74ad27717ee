"""The same bytes from the real step graph, however the work is spread over time."""

import random

import pytest

from runtime.engine import Engine
from runtime.npc import Npc
from runtime.prefill import PREFILL_CHUNK
from runtime.request import AskRequest
from runtime.session import StepSession

FACTS = tuple(f"The {thing} costs {number} gold." for number, thing in enumerate(("sword", "shield", "helmet", "bow")))


@pytest.fixture(scope="module")
def requests():
    npcs = [Npc(f"npc {number}", "Mira", "blacksmith", knowledge=FACTS[: 1 + number]) for number in range(4)]
    return [AskRequest(npcs[seed % 4], f"What do you sell, {seed}?", seed, steps=3, max_tokens=20) for seed in range(8)]


def spoken(engine, requests, each_step=lambda engine: None):
    """What every request gives, in the order of the requests."""
    jobs = {engine.submit(request): request.seed for request in requests}
    texts = {}
    while not engine.idle:
        each_step(engine)
        texts |= {jobs[outcome.job_id]: outcome.line for outcome in engine.step()}
    return [(seed, texts[seed].text, texts[seed].confidence) for seed in sorted(texts)]


@pytest.fixture(scope="module")
def alone(bundle, requests):
    session = StepSession(bundle)
    return [spoken(Engine(bundle, session=session), [request])[0] for request in requests]


def test_the_prompts_take_more_than_one_chunk(bundle, requests):
    engine = Engine(bundle)
    longest = max(len(engine._prompts.build(request.npc, request.text).ids) for request in requests)
    assert longest > PREFILL_CHUNK


@pytest.mark.parametrize("threads", [1, 2])
def test_together_and_after_a_restart(bundle, requests, alone, threads):
    assert spoken(Engine(bundle, threads=threads), requests) == alone


def test_in_any_order_with_any_priority(bundle, requests, alone):
    dice = random.Random(3)
    shuffled = [
        AskRequest(r.npc, r.text, r.seed, r.steps, r.max_tokens, priority=dice.randint(-10, 10)) for r in requests
    ]
    dice.shuffle(shuffled)
    assert spoken(Engine(bundle), shuffled) == alone


@pytest.mark.parametrize(("fps", "budget_ms"), [(30, 30.0), (60, 4.0), (144, 2.0)])
def test_at_any_frame_rate(bundle, requests, alone, fps, budget_ms):
    now_s = [0.0]

    def tick(engine):
        now_s[0] += 1 / fps
        engine.tick(round(now_s[0] * fps), budget_ms)

    # Each pass counts as no time at all here: what is on trial is the order of the work, not its length.
    engine = Engine(bundle, clock=lambda: now_s[0])
    assert spoken(engine, requests, tick) == alone


def test_at_any_pace_and_behind_a_calibration(bundle, requests, alone):
    now_s = [0.0]

    def pass_time(engine):
        now_s[0] += 0.001

    engine = Engine(bundle, clock=lambda: now_s[0])
    engine.calibrate()
    engine.pace(0.3)
    assert spoken(engine, requests, pass_time) == alone
