import math

from runtime.messages import Ask
from runtime.open_asks import OpenAsk, OpenAsks


def ask(client, request, npc_id="smith", arrived_s=0.0, **wanted):
    return OpenAsk(client, Ask.of_known(request, npc_id, text="Hello", **wanted), arrived_s)


def book(*asks):
    made = OpenAsks()
    for each in asks:
        made.add(each)
    return made


def test_an_ask_is_found_by_its_request_and_once_started_by_its_job():
    first, second, other = ask(b"a", 1), ask(b"a", 2), ask(b"b", 1)
    asks = book(first, second, other)
    assert asks.has(b"a", 2) and asks.has(b"b", 1)
    assert asks.waiting() == [first, second, other]
    asks.start(second, 11, now_s=2.0)
    assert asks.waiting() == [first, other]
    assert (second.job_id, second.started_s) == (11, 2.0)
    assert asks.take_job(11) is second
    assert asks.take_request(b"b", 1) is other
    assert asks.take_all() == [first]
    assert len(asks) == 0


def test_what_was_taken_is_closed():
    one = ask(b"a", 1)
    asks = book(one)
    asks.start(one, 10, now_s=0.0)
    assert asks.take(one)
    assert not asks.take(one)
    assert not asks.has(b"a", 1)
    assert asks.take_job(10) is None and asks.take_request(b"a", 1) is None


def test_an_old_ask_does_not_close_a_new_one_of_the_same_id():
    old, new = ask(b"a", 1), ask(b"a", 1)
    asks = book(old)
    asks.take(old)
    asks.add(new)
    assert not asks.take(old)
    assert asks.has(b"a", 1)


def test_a_client_that_is_gone_loses_its_asks_and_nobody_elses():
    first, other, second = ask(b"a", 1), ask(b"b", 1), ask(b"a", 2)
    asks = book(first, other, second)
    assert asks.take_all(b"a") == [first, second]
    assert asks.take_all(b"a") == []
    assert asks.has(b"b", 1)


def test_a_character_belongs_to_its_client():
    mine, theirs, another = ask(b"a", 1), ask(b"b", 1), ask(b"a", 2, "guard")
    assert book(mine, theirs, another).of_speaker((b"a", "smith")) == [mine]


def test_a_deadline_counts_from_the_arrival():
    assert ask(b"a", 1, arrived_s=10.0, deadline_ms=250).deadline_s == 10.25
    assert ask(b"a", 1).deadline_s == math.inf


def test_no_request_id_is_never_open():
    assert not book(ask(b"a", 1)).has(b"a", None)
