"""Decisions of the scheduler, at times and costs that are given."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import RequestError
from runtime.schedule import NO_DEADLINE, Expire, Policy, Run, Scheduler, Ticket


def ticket(job_id, speaker=None, priority=0, arrival_s=0.0, deadline_s=NO_DEADLINE):
    return Ticket(job_id, speaker or f"npc {job_id}", priority, arrival_s, deadline_s)


def scheduler_of(*tickets, **settings):
    scheduler = Scheduler(**settings)
    for each in tickets:
        scheduler.admit(each, Policy.QUEUE)
    return scheduler


def free(job_id):
    """A unit of compute that costs nothing."""
    return 0.0


def order_of(scheduler, now_s=0.0):
    """The jobs in the order in which they would run, each to its end in no time."""
    order = []
    while (decision := scheduler.next(now_s, free)) is not None:
        assert isinstance(decision, Run)
        order.append(decision.job_id)
        scheduler.close(decision.job_id)
    return order


class TestOrder:
    def test_nothing_open_is_nothing_to_do(self):
        assert Scheduler().next(0.0, free) is None

    def test_the_earliest_deadline_goes_first(self):
        assert order_of(
            scheduler_of(ticket(1, deadline_s=3.0), ticket(2, deadline_s=1.0), ticket(3, deadline_s=2.0))
        ) == [
            2,
            3,
            1,
        ]

    def test_a_higher_priority_goes_before_an_earlier_deadline(self):
        assert order_of(scheduler_of(ticket(1, deadline_s=1.0), ticket(2, priority=1, deadline_s=9.0))) == [2, 1]

    def test_equals_go_in_order_of_arrival(self):
        assert order_of(scheduler_of(ticket(1, deadline_s=5.0), ticket(2, deadline_s=5.0), ticket(3), ticket(4))) == [
            1,
            2,
            3,
            4,
        ]

    def test_a_job_without_a_deadline_is_due_after_some_patience(self):
        tickets = (ticket(1), ticket(2, deadline_s=4.9), ticket(3, deadline_s=5.1))
        assert order_of(scheduler_of(*tickets, patience_s=5.0)) == [2, 1, 3]

    @pytest.mark.parametrize(("now_s", "first"), [(5.0, 2), (5.5, 2), (6.0, 2), (6.1, 1)])
    def test_an_overdue_job_rises_a_priority_each_aging_time(self, now_s, first):
        # Overdue behind 5 s: priority 1 from then on, 2 behind 6 s, and there it is the earlier one.
        tickets = (ticket(1), ticket(2, priority=2, arrival_s=now_s))
        assert order_of(scheduler_of(*tickets, patience_s=5.0, aging_s=1.0), now_s)[0] == first

    def test_a_character_says_one_line_at_a_time_however_urgent_the_next(self):
        tickets = (ticket(1, "mira"), ticket(2, "mira", priority=9, deadline_s=1.0), ticket(3, "tom", priority=1))
        assert order_of(scheduler_of(*tickets)) == [3, 1, 2]

    @given(st.lists(st.tuples(st.integers(-10, 10), st.none() | st.floats(0.1, 60.0)), max_size=20))
    def test_before_anything_is_overdue_it_is_earliest_deadline_first_inside_a_priority(self, jobs):
        tickets = [
            ticket(number, priority=priority, deadline_s=deadline_s or NO_DEADLINE)
            for number, (priority, deadline_s) in enumerate(jobs)
        ]
        scheduler = scheduler_of(*tickets, patience_s=5.0)
        due_s = {each.job_id: 5.0 if each.deadline_s == NO_DEADLINE else each.deadline_s for each in tickets}
        expected = sorted(tickets, key=lambda each: (-each.priority, due_s[each.job_id]))
        assert order_of(scheduler) == [each.job_id for each in expected]

    @given(st.integers(-10, 10), st.integers(1, 200))
    def test_no_flow_of_urgent_jobs_starves_an_old_one(self, priority, flow_ms):
        scheduler = scheduler_of(ticket(0, priority=priority), patience_s=5.0, aging_s=1.0)
        now_s, number = 0.0, 0
        while True:
            number += 1
            scheduler.admit(ticket(number, priority=10, arrival_s=now_s, deadline_s=now_s + 1.0), Policy.QUEUE)
            decision = scheduler.next(now_s, free)
            if decision == Run(0):
                break
            scheduler.close(decision.job_id)
            now_s += flow_ms / 1000.0
            assert now_s < 5.0 + 21 * 1.0 + 0.2


class TestExpiry:
    def test_a_job_runs_while_its_next_unit_ends_before_its_deadline(self):
        scheduler = scheduler_of(ticket(1, deadline_s=1.0))
        assert scheduler.next(0.74, lambda job_id: 0.25) == Run(1)
        assert scheduler.next(0.75, lambda job_id: 0.25) == Expire(1)

    def test_a_job_that_waits_behind_others_expires_too(self):
        scheduler = scheduler_of(ticket(1, priority=5), ticket(2, "mira"), ticket(3, "mira", deadline_s=1.0))
        costs = {1: 9.0, 2: 9.0, 3: 0.5}
        assert scheduler.next(0.4, costs.get) == Run(1)
        assert scheduler.next(0.6, costs.get) == Expire(3)

    def test_the_time_of_the_first_expiry_is_known_before(self):
        scheduler = scheduler_of(ticket(1), ticket(2, deadline_s=3.0), ticket(3, deadline_s=2.5))
        costs = {1: 99.0, 2: 1.0, 3: 0.25}
        assert scheduler.expires_s(costs.get) == 2.0
        assert scheduler.next(math.nextafter(2.0, 1.0), costs.get) == Run(3)
        assert scheduler.next(2.0, costs.get) == Expire(2)

    def test_without_deadlines_nothing_ever_expires(self):
        assert scheduler_of(ticket(1)).expires_s(free) == NO_DEADLINE
        assert scheduler_of(ticket(1)).next(1e9, free) == Run(1)


class TestFairShare:
    def test_a_job_alone_has_all_the_time_there_is(self):
        assert scheduler_of(ticket(1, deadline_s=3.0)).fair_share_s(1, 1.0) == 2.0

    def test_a_job_without_a_deadline_has_no_limit(self):
        assert scheduler_of(ticket(1), ticket(2, deadline_s=1.0)).fair_share_s(1, 0.0) == NO_DEADLINE

    def test_equal_deadlines_share_equally(self):
        scheduler = scheduler_of(*(ticket(number, deadline_s=2.0) for number in range(4)))
        assert [scheduler.fair_share_s(number, 0.0) for number in range(4)] == [0.5] * 4

    def test_a_later_job_that_is_scarce_of_time_gets_some_of_it(self):
        scheduler = scheduler_of(*(ticket(number, deadline_s=d) for number, d in enumerate((1.0, 1.2, 1.2, 8.0))))
        assert scheduler.fair_share_s(0, 0.0) == pytest.approx(0.4)
        assert scheduler.fair_share_s(3, 0.0) == pytest.approx(2.0)

    @given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=12))
    def test_who_takes_no_more_than_his_share_leaves_everybody_else_theirs(self, deadlines):
        scheduler = scheduler_of(*(ticket(number, deadline_s=d) for number, d in enumerate(deadlines)))
        now_s, promised = 0.0, min(scheduler.fair_share_s(number, 0.0) for number in range(len(deadlines)))
        while (decision := scheduler.next(now_s, free)) is not None:
            share_s = scheduler.fair_share_s(decision.job_id, now_s)
            assert share_s >= promised * (1 - 1e-9)
            now_s += share_s * (1 - 1e-12)
            scheduler.close(decision.job_id)


class TestAdmission:
    def test_a_full_queue_is_busy_until_one_has_ended(self):
        scheduler = scheduler_of(ticket(1), ticket(2), max_open=2)
        with pytest.raises(RequestError, match="2 asks are open") as caught:
            scheduler.admit(ticket(3), Policy.QUEUE)
        assert caught.value.code == "busy"
        assert scheduler.close(1) and not scheduler.close(1)
        scheduler.admit(ticket(3), Policy.QUEUE)
        assert [each.job_id for each in scheduler] == [2, 3]

    def test_replace_closes_all_of_this_character_and_nobody_else(self):
        scheduler = scheduler_of(ticket(1, "mira"), ticket(2, "tom"), ticket(3, "mira"))
        assert scheduler.admit(ticket(4, "mira"), Policy.REPLACE) == (1, 3)
        assert [each.job_id for each in scheduler] == [2, 4]

    def test_replacing_needs_no_room_in_a_full_queue(self):
        scheduler = scheduler_of(ticket(1, "mira"), ticket(2, "tom"), max_open=2)
        assert scheduler.admit(ticket(3, "mira"), Policy.REPLACE) == (1,)
        with pytest.raises(RequestError, match="2 asks are open"):
            scheduler.admit(ticket(4, "nell"), Policy.REPLACE)
        assert len(scheduler) == 2

    def test_reject_refuses_while_the_character_has_an_open_line(self):
        scheduler = scheduler_of(ticket(1, "mira"))
        with pytest.raises(RequestError, match="open line already") as caught:
            scheduler.admit(ticket(2, "mira"), Policy.REJECT)
        assert caught.value.code == "npc-busy"
        scheduler.admit(ticket(3, "tom"), Policy.REJECT)
        scheduler.close(1)
        scheduler.admit(ticket(4, "mira"), Policy.REJECT)
        assert [each.job_id for each in scheduler] == [3, 4]


class TestCompanions:
    """Who shares a pass that job 1 begins at 0 s; a unit lasts 1 s, and half a second more for each further row."""

    def companions(self, scheduler, *, alike=(2, 3, 4), units=1, most_rows=4):
        return scheduler.companions(
            1,
            0.0,
            alike,
            unit_s=lambda rows: (1 + rows) / 2 if rows <= most_rows else math.inf,
            ends_s=lambda rows: units * (1 + rows) / 2,
        )

    def test_the_most_urgent_come_along(self):
        scheduler = scheduler_of(ticket(1), ticket(2), ticket(3, priority=1), ticket(4, priority=2))
        assert self.companions(scheduler) == (4, 3, 2)
        assert self.companions(scheduler, most_rows=2) == (4,)
        assert self.companions(scheduler, most_rows=1) == ()

    def test_only_those_that_are_alike_and_first_of_their_character(self):
        scheduler = scheduler_of(ticket(1, "mira"), ticket(2, "tom"), ticket(3, "tom"), ticket(4, "mira"))
        assert self.companions(scheduler) == (2,)
        assert self.companions(scheduler, alike=(3,)) == ()

    @pytest.mark.parametrize(
        ("deadline_s", "units", "count"), [(10, 4, 3), (9, 4, 2), (6, 4, 1), (5, 4, 0), (99, 40, 2)]
    )
    def test_the_first_must_still_end_in_time(self, deadline_s, units, count):
        scheduler = scheduler_of(ticket(1, deadline_s=float(deadline_s)), *map(ticket, (2, 3, 4)))
        assert len(self.companions(scheduler, units=units)) == count

    @pytest.mark.parametrize("alike", [(2, 3, 4), (2, 4)])
    @pytest.mark.parametrize(("deadline_s", "rows"), [(3.0, 4), (2.1, 3), (1.9, 2), (1.4, 1)])
    def test_nobody_may_miss_a_deadline_while_the_unit_runs(self, alike, deadline_s, rows):
        scheduler = scheduler_of(ticket(1, priority=9), ticket(2), ticket(3, deadline_s=deadline_s), ticket(4))
        assert len(self.companions(scheduler, alike=alike)) == min(rows - 1, len(alike))
