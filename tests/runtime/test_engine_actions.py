"""Actions of lines through a real (tiny, random) model: it likes any call as well as another, but none of its own."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.actions import concrete_calls, parse_actions
from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.exactness import Exactness
from runtime.outcome import Finished
from runtime.request import AskRequest
from runtime.session import StepSession

ACTIONS = ("open_gate()", "give(item: iron kettle|oak shield)", "pay(amount: 1..20)")


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return StepSession(load_bundle(tiny_bundle))


@pytest.fixture(scope="module")
def engine(tiny_bundle, session):
    return Engine(load_bundle(tiny_bundle), session=session)


@pytest.fixture(scope="module")
def guard(mira):
    return replace(mira, actions=ACTIONS)


@pytest.fixture
def eager(monkeypatch):
    """Something is always done, whatever the model thinks of it."""
    monkeypatch.setattr("runtime.acting.ACTION_MARGIN", float("-inf"))


def lines(engine, *requests):
    jobs = [engine.submit(request, owner=number) for number, request in enumerate(requests)]
    found = {}
    while not engine.idle:
        for outcome in engine.step():
            assert isinstance(outcome, Finished)
            found[outcome.job_id] = outcome.line
    return [found[job_id] for job_id in jobs]


def ask(npc, seed=3, **options):
    return AskRequest(npc, "Let me in!", seed, **{"steps": 3, "max_tokens": 12} | options)


def calls_of(npc):
    return concrete_calls(parse_actions(npc.actions))


def test_a_line_carries_one_of_the_declared_actions_or_none(engine, guard, eager, monkeypatch):
    (line,) = lines(engine, ask(guard))
    assert line.source == "model" and line.action in calls_of(guard)
    monkeypatch.setattr("runtime.acting.ACTION_MARGIN", float("inf"))
    (same,) = lines(engine, ask(guard))
    assert same.action is None and same.text == line.text


def test_who_can_do_nothing_does_nothing(engine, mira, eager):
    (line,) = lines(engine, ask(mira))
    assert line.source == "model" and line.action is None


def test_what_is_done_depends_on_what_is_said(engine, guard, eager):
    told = lines(engine, *(ask(guard, seed) for seed in range(8)))
    assert len({line.action.text for line in told if line.action}) > 1


def test_lines_that_were_not_ended_by_the_model_carry_none(engine, guard, eager):
    refused = replace(guard, banned=tuple("abcdefghijklmnopqrstuvwxyz"))
    cut, fallback = lines(engine, ask(guard, stop_after_steps=1), ask(refused, max_tokens=1))
    assert (cut.finish_reason, cut.action) == ("deadline", None)
    assert (fallback.source, fallback.action) in (("fallback", None), ("model", fallback.action))


@pytest.mark.parametrize("max_tokens", [1, 16, 40, 100])
def test_lines_of_any_length_carry_one(engine, guard, eager, max_tokens):
    told = lines(engine, *(ask(guard, seed, max_tokens=max_tokens) for seed in range(4)))
    assert any(line.source == "model" for line in told)
    assert all((line.action in calls_of(guard)) == (line.source == "model") for line in told)


def test_a_call_may_be_longer_than_a_canvas(engine, mira, eager):
    long = replace(mira, actions=(f"say(word: {'long ' * 60}|short)",))
    (line,) = lines(engine, ask(long))
    assert line.source == "model" and line.action in calls_of(long)


def test_a_template_s_line_carries_one(engine, guard, eager):
    (line,) = lines(engine, ask(guard, template="As you wish, {*1-3}.", max_tokens=40))
    assert line.text.startswith("As you wish, ") and line.action in calls_of(guard)


class TestDeterminism:
    def test_the_same_in_company(self, engine, guard, eager):
        requests = [ask(guard, seed) for seed in range(4)]
        alone = [lines(engine, request)[0].action for request in requests]
        for exact in (False, True):
            engine._planner.exactness = Exactness(rows=exact)
            assert [line.action for line in lines(engine, *requests)] == alone
        engine._planner.exactness = Exactness()

    def test_the_same_in_slices(self, engine, guard, eager, tiny_slices):
        whole = lines(engine, ask(guard))[0].action
        for folder in tiny_slices.values():
            assert lines(Engine(load_bundle(folder)), ask(guard))[0].action == whole


names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
words = st.text(st.characters(exclude_characters="|,()[]", exclude_categories=("C", "Z")), min_size=1, max_size=12)
arguments = st.one_of(
    st.lists(words, min_size=1, max_size=4, unique=True).map("|".join),
    st.builds(lambda low, more: f"{low}..{low + more}", st.integers(-9, 9), st.integers(0, 3)),
)
declarations = st.dictionaries(names, arguments, min_size=1, max_size=4).map(
    lambda actions: tuple(f"{name}(what: {values})" for name, values in actions.items())
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(declared=declarations)
def test_nothing_that_is_not_declared_can_come_out(engine, mira, eager, declared):
    (line,) = lines(engine, ask(replace(mira, actions=declared), max_tokens=6, steps=1))
    assert line.action is None or line.action in concrete_calls(parse_actions(declared))
    assert (line.action is not None) == (line.source == "model" and line.finish_reason in ("stop", "max_tokens"))
