from runtime.open_asks import OpenAsk, OpenAsks


def book(*asks):
    made = OpenAsks()
    for ask in asks:
        made.add(ask)
    return made


FIRST, SECOND, OTHER = OpenAsk(b"a", 1, 10), OpenAsk(b"a", 2, 11), OpenAsk(b"b", 1, 12)


def test_an_ask_is_found_by_its_job_and_by_its_request():
    asks = book(FIRST, SECOND, OTHER)
    assert asks.has(b"a", 2) and asks.has(b"b", 1)
    assert asks.take_job(10) == FIRST
    assert asks.take_request(b"b", 1) == OTHER
    assert asks.take_all() == [SECOND]


def test_what_was_taken_is_closed():
    asks = book(FIRST)
    assert asks.take_request(b"a", 1) == FIRST
    assert not asks.has(b"a", 1)
    assert asks.take_job(10) is None and asks.take_request(b"a", 1) is None


def test_the_same_request_id_of_two_clients_is_two_asks():
    asks = book(FIRST, OTHER)
    assert asks.take_request(b"a", 1) == FIRST
    assert asks.has(b"b", 1)


def test_a_client_that_is_gone_loses_its_asks_and_nobody_elses():
    asks = book(FIRST, OTHER, SECOND)
    assert asks.take_all(b"a") == [FIRST, SECOND]
    assert asks.take_all(b"a") == []
    assert asks.has(b"b", 1)


def test_no_request_id_is_never_open():
    assert not book(FIRST).has(b"a", None)
