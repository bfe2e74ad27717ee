import select

from runtime.process.wake import Wake


def is_readable(wake):
    return bool(select.select([wake.reader], [], [], 0.0)[0])


def test_it_is_readable_from_a_notice_until_it_is_drained():
    with Wake() as wake:
        assert not is_readable(wake)
        for _ in range(100_000):
            wake.notify()
        assert is_readable(wake)
        wake.drain()
        assert not is_readable(wake)
        assert not wake.stopping


def test_stop_is_a_notice_that_stays():
    with Wake() as wake:
        wake.stop()
        assert is_readable(wake)
        wake.drain()
        assert wake.stopping


def test_a_notice_that_comes_too_late_does_no_harm():
    with Wake() as wake:
        pass
    wake.notify()
