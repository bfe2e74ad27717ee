"""What is promised about time, over random arrivals, costs and budgets."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.outcome import Finished
from runtime.schedule import NO_DEADLINE, Run

MS = 1e-3

unit_ms = st.floats(0.2, 40.0)


@st.composite
def costs(draw, most_ms=40.0):
    """Seconds of one slice after another: constant, jittery, drifting, or with one spike."""
    base_s, kind = (
        draw(st.floats(0.2, most_ms)) * MS,
        draw(st.sampled_from(["constant", "jittery", "drifting", "spike"])),
    )
    dice = random.Random(draw(st.integers(0, 1 << 32)))
    match kind:
        case "constant":
            return itertools.repeat(base_s)
        case "jittery":
            return (base_s * dice.lognormvariate(0.0, 0.5) for _ in itertools.count())
        case "drifting":
            rate = draw(st.floats(0.98, 1.02))
            return (base_s * min(5.0, max(0.2, rate**number)) for number in itertools.count())
        case _:
            spike_at = draw(st.integers(0, 200))
            return (base_s * (10.0 if number == spike_at else 1.0) for number in itertools.count())


@st.composite
def arrivals(draw, ask, most=24):
    """Requests over about a second: some alone, some in bursts, of a few characters."""
    count = draw(st.integers(1, most))
    dice = random.Random(draw(st.integers(0, 1 << 32)))
    limited, characters = draw(st.floats(0.0, 1.0)), draw(st.integers(1, 16))
    spread_s, shortest_ms = draw(st.sampled_from([0.0, 0.3, 2.0])), draw(st.sampled_from([1, 20, 200]))
    return [
        (
            dice.uniform(0.0, spread_s),
            ask(
                seed=number,
                npc=f"npc {dice.randrange(characters)}",
                steps=dice.choice([None, 1, 2, 4]),
                deadline_ms=dice.randint(shortest_ms, 5 * shortest_ms) if dice.random() < limited else None,
                priority=dice.choice([0, 0, 0, -10, 3, 10]),
                policy=dice.choice(["queue", "queue", "replace", "reject"]),
                deterministic=dice.random() < 0.7,
            ),
        )
        for number in range(count)
    ]


@st.composite
def ways(draw):
    """How the engine works: slices of a pass, asks that share one, and whether its rows are exact."""
    return {
        "slices": draw(st.integers(1, 3)),
        "max_batch": draw(st.sampled_from([1, 2, 8])),
        "exact": draw(st.booleans()),
    }


budgets = st.lists(st.floats(0.0, 12.0), min_size=1, max_size=6).filter(lambda some: sum(some) > 2.0 * len(some))


def check_always(played):
    """What holds whatever happened."""
    assert set(played.ended) == set(played.submitted)
    longest_s = max(played.session.slices_run, default=0.0)
    assert all(late_s <= longest_s + 1e-6 for late_s in played.lateness_s())
    for _, outcome in played.ended.values():
        if isinstance(outcome, Finished):
            assert outcome.line.text
            assert outcome.line.steps_done <= 4 * max(1, outcome.line.steps_planned)
        else:
            assert outcome.error.code == "replaced"


def check_company(played):
    """Nobody who shares a pass has to: not with more than allowed, not out of turn, and not if it would show."""
    most, exact = played.engine._planner.max_batch, played.engine.exactness.rows
    assert all(rows <= most for rows in played.session.rows_run)
    asked = {job_id: request for job_id, (_, request) in played.submitted.items()}
    for leader, companions in played.scheduler.companies:
        assert len({ticket.speaker for ticket in (leader, *companions)}) == 1 + len(companions)
        if companions and not exact:
            assert not any(asked[ticket.job_id].deterministic for ticket in (leader, *companions))
    for job_id, (_, outcome) in played.ended.items():
        if isinstance(outcome, Finished) and asked[job_id].deterministic:
            assert outcome.line.deterministic == (outcome.line.source != "fallback")


def check_order(played):
    """Earliest deadline first, inside a priority, among the first of each character; nothing overdue in between."""
    for now_s, decision, tickets in played.scheduler.decisions:
        if not isinstance(decision, Run):
            continue
        first = {}
        for ticket in tickets:
            first.setdefault(ticket.speaker, ticket)
        chosen = next(ticket for ticket in tickets if ticket.job_id == decision.job_id)
        assert first[chosen.speaker] is chosen
        overdue = [t for t in first.values() if t.deadline_s == NO_DEADLINE and now_s > t.arrival_s + 5.0]
        if overdue:
            continue
        assert all(other.priority <= chosen.priority for other in first.values())
        rivals = [other for other in first.values() if other.priority == chosen.priority]
        assert due_s(chosen) == min(map(due_s, rivals))


def due_s(ticket):
    return ticket.arrival_s + 5.0 if ticket.deadline_s == NO_DEADLINE else ticket.deadline_s


def check_budget(played):
    """Compute of any run of frames is what they gave, and the carry bound, and what a unit took beyond expectation."""
    frames = played.budget.frames
    spent = [sum(seconds for _, _, seconds in units) for _, _, units in frames]
    given_s = [budget_s for _, budget_s, _ in frames]
    units = [unit for _, _, ran in frames for unit in ran]
    carry_s = max((expected_s for _, expected_s, _ in units), default=0.0) + max(given_s, default=0.0)
    beyond_s = max((seconds - expected_s for _, expected_s, seconds in units), default=0.0)
    # The worst run of frames that ends with each one.
    worst_s = 0.0
    for frame_spent_s, frame_given_s in zip(spent, given_s, strict=True):
        worst_s = max(0.0, worst_s) + frame_spent_s - frame_given_s
        assert worst_s <= carry_s + max(0.0, beyond_s) + 1e-9
    for began_s, budget_s, ran in frames:
        for number, (started_s, expected_s, _) in enumerate(ran):
            assert began_s - 1e-9 <= started_s <= began_s + budget_s + 1e-9
            assert number == 0 or started_s + expected_s <= began_s + budget_s + 1e-9


@settings(max_examples=150)
@given(st.data())
def test_without_a_budget(game, ask, data):
    played = game(data.draw(costs()), **data.draw(ways())).play(data.draw(arrivals(ask)))
    check_always(played)
    check_order(played)
    check_company(played)


@settings(max_examples=150)
@given(st.data())
def test_with_ticks(game, ask, data):
    played = game(data.draw(costs(most_ms=15.0)), **data.draw(ways()))
    if data.draw(st.booleans()):
        played.engine.calibrate()
    fps = data.draw(st.sampled_from([30, 60, 144]))
    start_s = played.clock.now_s
    waiting = [(start_s + at_s, request) for at_s, request in data.draw(arrivals(ask, most=8))]
    played.play(waiting, tick_every_s=1 / fps, budgets_ms=data.draw(budgets))
    check_always(played)
    check_order(played)
    check_company(played)
    check_budget(played)


@settings(max_examples=80)
@given(st.data(), st.floats(0.05, 1.0))
def test_with_a_share_of_a_core(game, ask, data, max_load):
    played = game(data.draw(costs()), **data.draw(ways()))
    played.engine.pace(max_load, fps=60.0)
    played.play(data.draw(arrivals(ask, most=10)))
    check_always(played)
    check_order(played)
    longest_s = max(played.session.slices_run, default=0.0)
    # One unit and one frame's budget may be carried in, and the last unit may cost more than expected.
    assert sum(played.session.slices_run) <= max_load * played.clock.now_s + 4 * longest_s + max_load / 60.0


@settings(max_examples=60)
@given(st.data(), unit_ms)
def test_a_constant_cost_that_is_known_makes_one_pass_late_at_most(game, ask, data, unit_ms):
    # Between two slices of a shared pass an ask may come that is in more of a hurry than one of them lasts.
    played = game(itertools.repeat(unit_ms * MS), **(data.draw(ways()) | {"slices": 1}))
    played.engine.calibrate()
    start_s = played.clock.now_s
    waiting = [(start_s + at_s, request) for at_s, request in data.draw(arrivals(ask))]
    # With less than one unit of time nothing can be made, and the estimate is put to the test now and then.
    waiting = [each for each in waiting if (each[1].deadline_ms or 1e9) * MS > 2 * unit_ms * MS]
    played.play(waiting)
    check_always(played)
    # A pass that is shorter than any before is expected to cost less. Here it does not, so the first may be late.
    # Every line whose deadline falls into it waits for it.
    assert len(played.late_moments_s()) <= 1


@settings(max_examples=30)
@given(st.integers(1, 5), st.integers(6, 60))
def test_the_queue_is_bounded_and_says_so(game, ask, most, flood):
    played = game(itertools.repeat(5 * MS), max_open=most)
    played.play([(0.0, ask(number, npc=f"npc {number}", steps=1)) for number in range(flood)])
    check_always(played)
    assert played.scheduler.most_open <= most
    assert played.refused == ["busy"] * (flood - most)


@pytest.mark.parametrize("tick_every_s", [None, 1 / 60])
def test_an_old_job_of_low_priority_ends_under_a_flood_of_urgent_ones(game, ask, tick_every_s):
    played = game(itertools.repeat(4 * MS))
    flood = [(number * 0.05, ask(number, npc=f"npc {number}", priority=5, deadline_ms=200)) for number in range(600)]
    played.play([(0.0, ask(9999, npc="old", priority=-5)), *flood], tick_every_s=tick_every_s, until_s=29.9)
    assert isinstance(played.ended[1][1], Finished)
    assert played.ended[1][1].line.source == "model"


@pytest.mark.parametrize("gap_s", [1.0, 60.0])
def test_while_no_tick_comes_nothing_is_computed_and_deadlines_are_kept(game, ask, gap_s):
    played = game(itertools.repeat(4 * MS))
    played.engine.tick(0, 4.0)
    played.clock.advance(gap_s)
    before = len(played.session.slices_run)
    played.play([(0.0, ask(1, deadline_ms=300))])
    assert len(played.session.slices_run) == before
    assert played.ended[1][1].line.source == "fallback"
    assert played.lateness_s() == [pytest.approx(0.0, abs=1e-6)]


def test_after_a_slow_spell_deadlines_are_tried_again(game, ask):
    slow = itertools.repeat(300 * MS, 12)
    played = game(itertools.chain(slow, itertools.repeat(5 * MS)))
    played.play([(0.0, ask(1, npc="slow")), *((20.0 + number, ask(number, deadline_ms=100)) for number in range(80))])
    sources = [outcome.line.source for _, outcome in played.ended.values()]
    assert sources[2] == "fallback"
    assert sources[-20:] == ["model"] * 20
