"""Choices through a real (tiny, random) model: what it likes is arbitrary, but it likes it whatever else goes on."""

import itertools
import math

import pytest

from runtime.bundle import load_bundle
from runtime.choice import ChooseRequest
from runtime.engine import Engine
from runtime.errors import RequestError
from runtime.exactness import Exactness
from runtime.outcome import Chosen, Failed, Finished
from runtime.request import AskRequest
from runtime.session import StepSession

OPTIONS = ("Aye.", "The iron sword costs 40 gold.", "Nay, not today.", "Good day to you.", "Leave me be, stranger.")


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return StepSession(load_bundle(tiny_bundle))


@pytest.fixture
def engine(tiny_bundle, session):
    return Engine(load_bundle(tiny_bundle), session=session)


@pytest.fixture
def request_of(mira):
    return lambda text="How much is the sword?", **more: ChooseRequest(mira, text, OPTIONS, **more)


def run(engine):
    found = {}
    while not engine.idle:
        found |= {outcome.job_id: outcome for outcome in engine.step()}
    return found


def choose(engine, request, **more):
    job_id = engine.submit_choice(request, **more)
    outcome = run(engine)[job_id]
    assert isinstance(outcome, Chosen)
    return outcome.choice


def told(choice):
    return choice.index, choice.probabilities


class TestChoice:
    def test_there_is_a_probability_for_each_option(self, engine, request_of):
        choice = choose(engine, request_of())
        assert len(choice.probabilities) == len(OPTIONS)
        assert math.isclose(sum(choice.probabilities), 1.0, rel_tol=1e-12)
        assert choice.probabilities[choice.index] == max(choice.probabilities)
        assert (choice.source, choice.finish_reason) == ("model", "stop")
        assert choice.timings.compute_ms > 0.0 and choice.timings.denoise_ms > 0.0

    def test_the_order_of_the_options_does_not_matter(self, engine, mira):
        """They are scored in passes of a few, and which pass an option is in must not count."""
        forward = choose(engine, ChooseRequest(mira, "Hello", OPTIONS))
        backward = choose(engine, ChooseRequest(mira, "Hello", OPTIONS[::-1]))
        assert OPTIONS[forward.index] == OPTIONS[::-1][backward.index]
        assert backward.probabilities[::-1] == pytest.approx(forward.probabilities, rel=1e-3)

    def test_the_question_and_what_the_character_knows_count(self, engine, mira, request_of):
        choices = {
            told(choose(engine, request))
            for request in (
                request_of(),
                request_of("Where is the mill?"),
                request_of(history=(("Hello", "Hm."),)),
                request_of(world={"time": ["It is evening."]}),
                request_of(summary="They have met before."),
            )
        }
        assert len(choices) == 5

    def test_two_options_that_are_the_same_are_as_likely(self, engine, mira):
        choice = choose(engine, ChooseRequest(mira, "Hello", ("Aye.", "Aye.")))
        assert told(choice) == (0, (0.5, 0.5))

    def test_an_option_may_be_longer_than_a_canvas(self, engine, mira):
        choice = choose(engine, ChooseRequest(mira, "Hello", ("x" * 400, "Aye.")))
        assert math.isclose(sum(choice.probabilities), 1.0)

    def test_control_tokens_in_an_option_are_plain_words_without_them(self, engine, mira):
        choice = choose(engine, ChooseRequest(mira, "Hello", ("Aye.<turn|>", "Aye.")))
        assert choice.probabilities == (0.5, 0.5)


class TestDeterminism:
    def test_the_same_in_company(self, engine, mira, request_of):
        alone = told(choose(engine, request_of()))
        for exact in (False, True):
            engine._planner.exactness = Exactness(rows=exact)
            jobs = [
                engine.submit(AskRequest(mira, "Hello", seed, steps=3, max_tokens=8, deterministic=exact), owner=seed)
                for seed in range(3)
            ]
            choices = [engine.submit_choice(request_of(), owner=owner) for owner in (10, 11)]
            outcomes = run(engine)
            assert all(isinstance(outcomes[job_id], Finished) for job_id in jobs)
            assert [told(outcomes[job_id].choice) for job_id in choices] == [alone, alone]

    def test_lines_are_the_same_beside_it(self, engine, mira, request_of):
        ask = AskRequest(mira, "Hello", 5, steps=3, max_tokens=8)
        alone = engine.submit(ask)
        text = run(engine)[alone].line.text
        beside, _ = engine.submit(ask, owner=1), engine.submit_choice(request_of(), owner=2)
        assert run(engine)[beside].line.text == text

    def test_the_same_in_slices(self, engine, request_of, tiny_slices):
        whole = told(choose(engine, request_of()))
        for folder in tiny_slices.values():
            assert told(choose(Engine(load_bundle(folder)), request_of())) == whole

    def test_the_same_with_more_threads(self, engine, tiny_bundle, request_of):
        assert told(choose(Engine(load_bundle(tiny_bundle), threads=2), request_of())) == told(
            choose(engine, request_of())
        )

    def test_the_same_under_a_frame_budget(self, engine, request_of):
        free = told(choose(engine, request_of()))
        job_id = engine.submit_choice(request_of())
        found = {}
        for frame in itertools.count():
            engine.tick(frame, 50.0)
            while engine.wait_s() == 0.0 and not found:
                found |= {outcome.job_id: outcome for outcome in engine.step()}
            if found:
                break
        assert told(found[job_id].choice) == free

    def test_the_same_whatever_is_remembered_of_the_persona(self, engine, tiny_bundle, session, request_of):
        first, again = (told(choose(engine, request_of())) for _ in range(2))
        forgetful = Engine(load_bundle(tiny_bundle), session=session, prefix_cache_mb=0)
        assert first == again == told(choose(forgetful, request_of()))


class TestAsOtherJobs:
    def test_it_can_be_cancelled_between_any_two_units(self, engine, request_of):
        job_id = engine.submit_choice(request_of())
        units = 0
        while not engine.idle:
            engine.step()
            units += 1
        assert units > 6
        for cancelled_after in range(units - 1):
            job_id = engine.submit_choice(request_of())
            for _ in range(cancelled_after):
                engine.step()
            assert engine.cancel(job_id) and engine.idle

    def test_a_character_does_one_thing_at_a_time(self, engine, mira, request_of):
        line = engine.submit(AskRequest(mira, "Hello", 5, steps=2, max_tokens=4))
        choice = engine.submit_choice(request_of())
        with pytest.raises(RequestError, match="this character has an open line already"):
            engine.submit_choice(request_of(policy="reject"))
        newest = engine.submit_choice(request_of(policy="replace"))
        outcomes = run(engine)
        assert [type(outcomes[job_id]) for job_id in (line, choice, newest)] == [Failed, Failed, Chosen]
        assert outcomes[choice].error.code == "replaced"

    def test_a_pass_that_fails_ends_it_with_an_error(self, engine, request_of, monkeypatch):
        job_id = engine.submit_choice(request_of())
        monkeypatch.setattr(engine._compute.session, "begin_score", lambda *arguments: 1 / 0)
        failed = run(engine)[job_id]
        assert isinstance(failed, Failed) and failed.error.code == "internal"
