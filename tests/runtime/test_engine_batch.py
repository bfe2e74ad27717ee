"""Jobs that share passes of a real (tiny, random) model, and what one of them may do to the others: nothing."""

import itertools

import pytest

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.errors import ModelError
from runtime.exactness import Exactness
from runtime.frame_budget import TICKER_GONE_S
from runtime.npc import Npc
from runtime.outcome import Failed, Finished
from runtime.request import AskRequest
from runtime.session import StepSession

FACTS = ("The sword costs 40 gold.",)


class WatchedSession(StepSession):
    """Notes the rows of every pass, and fails those that hold a forbidden token."""

    def __init__(self, bundle):
        super().__init__(bundle)
        self.rows = []
        self.forbidden = None

    def begin_encode(self, ids, prefix=None, pad_length=None):
        self.check(ids)
        return super().begin_encode(ids, prefix, pad_length)

    def begin_denoise(self, inputs, prefix):
        self.check(inputs.canvas)
        return super().begin_denoise(inputs, prefix)

    def check(self, ids):
        self.rows.append(len(ids))
        if self.forbidden in ids:
            raise ModelError("this token is bad luck", "Do not say it")


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return WatchedSession(load_bundle(tiny_bundle))


@pytest.fixture
def engine(tiny_bundle, session):
    """Lets four share a pass; rows of this model are exact."""
    engine = Engine(load_bundle(tiny_bundle), session=session, max_batch=4)
    engine._planner.exactness = Exactness(rows=True)
    session.rows.clear()
    return engine


def requests(count=4, **options):
    npcs = [Npc(f"npc {number}", "Mira", "blacksmith", knowledge=FACTS[: number % 2]) for number in range(count)]
    return [
        AskRequest(npc, f"What do you sell, {seed}?", seed, steps=3, max_tokens=20, **options)
        for seed, npc in enumerate(npcs)
    ]


def run(engine, asked, **callbacks):
    jobs = {engine.submit(request, **callbacks): request.seed for request in asked}
    outcomes = {}
    while not engine.idle:
        outcomes |= {jobs[outcome.job_id]: outcome for outcome in engine.step()}
    return outcomes


def said(outcomes):
    return {seed: (outcome.line.text, outcome.line.confidence) for seed, outcome in outcomes.items()}


@pytest.fixture(scope="module")
def alone(tiny_bundle, session):
    engine = Engine(load_bundle(tiny_bundle), session=session, max_batch=1)
    return {seed: text for request in requests(6) for seed, text in said(run(engine, [request])).items()}


@pytest.mark.parametrize("count", [2, 3, 6])
def test_lines_are_the_same_in_company_and_alone(engine, session, alone, count):
    lines = said(run(engine, requests(count)))
    assert lines == {seed: alone[seed] for seed in range(count)}
    assert max(session.rows) == min(count, 4)


def test_fewer_passes_are_run(engine, session, tiny_bundle):
    run(engine, requests())
    shared = len(session.rows)
    session.rows.clear()
    run(Engine(load_bundle(tiny_bundle), session=session, max_batch=1), requests())
    assert 2 * shared < len(session.rows)


class TestWhereRowsAreNotExact:
    @pytest.fixture(autouse=True)
    def rows_are_not_exact(self, engine):
        engine._planner.exactness = Exactness(rows=False)

    def test_a_deterministic_ask_is_alone(self, engine, session):
        outcomes = run(engine, requests())
        assert set(session.rows) == {1}
        assert all(outcome.line.deterministic for outcome in outcomes.values())

    def test_others_share_and_say_so(self, engine, session):
        outcomes = run(engine, requests(deterministic=False))
        assert max(session.rows) == 4
        assert not any(outcome.line.deterministic for outcome in outcomes.values())

    def test_one_that_had_no_company_is_deterministic_all_the_same(self, engine):
        (outcome,) = run(engine, requests(1, deterministic=False)).values()
        assert outcome.line.deterministic

    def test_neither_keeps_company_with_the_other(self, engine, session):
        sure, unsure = requests(2), requests(4, deterministic=False)[2:]
        outcomes = run(engine, [*sure, *unsure])
        assert max(session.rows) == 2
        assert [outcome.line.deterministic for _, outcome in sorted(outcomes.items())] == [True, True, False, False]


def test_whether_rows_are_exact_is_found_out_by_the_calibration(tiny_bundle, session):
    engine = Engine(load_bundle(tiny_bundle), session=session)
    assert not engine.exactness.rows
    engine.calibrate()
    assert engine.exactness.rows


def test_a_cancelled_job_leaves_the_others_as_they_are(engine, session, alone):
    jobs = {engine.submit(request): request.seed for request in requests()}
    for _ in range(3):
        engine.step()
    assert session.rows[-1] == 4
    assert engine.cancel(next(job for job, seed in jobs.items() if seed == 1))
    outcomes = {}
    while not engine.idle:
        outcomes |= {jobs[outcome.job_id]: outcome for outcome in engine.step()}
    assert said(outcomes) == {seed: alone[seed] for seed in (0, 2, 3)}


def test_one_that_is_cancelled_by_another_s_callback_is_not_told(engine, alone):
    told = []
    first, *others = requests()

    def end_the_rest(report):
        told.append(report.job_id)
        for job_id in ids:
            engine.cancel(job_id)

    job_id = engine.submit(first, end_the_rest)
    ids = [engine.submit(request, lambda report: told.append(report.job_id)) for request in others]
    outcomes = []
    while not engine.idle:
        outcomes += engine.step()
    assert [outcome.job_id for outcome in outcomes] == [job_id]
    assert set(told) == {job_id}


def test_a_job_whose_pass_fails_does_not_take_its_company_along(engine, session, alone):
    """Nobody knows whose token it was until each has tried alone."""
    asked = requests()
    tokens = [set(engine._prompts.build(request.npc, request.text).ids.tolist()) for request in asked]
    session.forbidden = next(iter(tokens[3] - tokens[0] - tokens[1] - tokens[2]))
    try:
        outcomes = run(engine, asked)
    finally:
        session.forbidden = None
    bad = outcomes.pop(3)
    assert isinstance(bad, Failed) and isinstance(bad.error, ModelError)
    assert said(outcomes) == {seed: alone[seed] for seed in (0, 1, 2)}


def test_an_error_in_one_callback_leaves_the_others_their_step(engine, alone):
    steps = []
    first, *others = requests()

    def complain(report):
        raise LookupError("no such widget")

    engine.submit(first, complain)
    jobs = {engine.submit(request, lambda report: steps.append(report.job_id)): request.seed for request in others}
    outcomes, errors = {}, 0
    while not engine.idle:
        try:
            outcomes |= {jobs[outcome.job_id]: outcome for outcome in engine.step()}
        except LookupError:
            errors += 1
            assert sorted(steps) == sorted(jobs)
    assert errors == 1
    assert said(outcomes) == {seed: alone[seed] for seed in (1, 2, 3)}


def test_each_line_counts_the_passes_that_it_shared_as_its_own(tiny_bundle, session):
    seconds = itertools.count()
    engine = Engine(load_bundle(tiny_bundle), session=session, max_batch=4, clock=lambda: float(next(seconds)))
    engine._planner.exactness = Exactness(rows=True)
    twins = [AskRequest(Npc(name, "Mira", "blacksmith"), "Hello", 1, 1, 1) for name in ("mira", "moira")]
    lines = [outcome.line for outcome in run(engine, twins).values()]
    session.rows.clear()
    assert all(line.timings.compute_ms == lines[0].timings.compute_ms > 0.0 for line in lines)


class TestWhenTheGameThatTicksIsGone:
    def engine_at(self, bundle, session):
        self.now_s = 0.0
        return Engine(bundle, session=session, clock=lambda: self.now_s, max_batch=4)

    @pytest.fixture
    def ticked(self, tiny_bundle, session):
        engine = self.engine_at(load_bundle(tiny_bundle), session)
        engine.tick(1, 2.0, owner="game")
        self.now_s = 1.0
        return engine

    def test_another_s_ask_goes_on_after_a_while(self, ticked):
        ticked.submit(requests(1)[0], owner="other")
        assert ticked.wait_s() == pytest.approx(TICKER_GONE_S - 1.0)
        assert ticked.step() == ()
        self.now_s = TICKER_GONE_S
        outcomes = []
        while not ticked.idle:
            assert ticked.wait_s() == 0.0
            outcomes += ticked.step()
        assert [type(outcome) for outcome in outcomes] == [Finished]

    def test_its_own_asks_wait_for_it(self, ticked):
        ticked.submit(requests(1)[0], owner="game")
        self.now_s = 1000.0
        assert ticked.wait_s() == float("inf")
        assert ticked.step() == ()

    def test_it_comes_back_with_no_debt(self, ticked):
        ticked.submit(requests(1)[0], owner="other")
        self.now_s = TICKER_GONE_S
        while not ticked.idle:
            ticked.step()
        ticked.tick(2, 2.0, owner="game")
        ticked.submit(requests(1)[0], owner="game")
        assert ticked.wait_s() == 0.0
