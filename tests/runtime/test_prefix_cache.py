import numpy as np

from runtime.prefix_cache import PrefixCache
from runtime.session import Prefix


def prefix(length, value=0.0):
    """Of one layer with one head of four numbers: 32 bytes a position."""
    return Prefix((np.full((1, 1, length, 4), value, np.float32),) * 2, np.zeros(1, np.int64))


def test_what_was_put_in_is_there():
    cache, kept = PrefixCache(), prefix(3)
    cache.put(b"a", kept)
    assert cache.get(b"a") is kept and cache.get(b"b") is None
    assert (cache.hits, cache.made, cache.bytes, len(cache)) == (1, 1, 96, 1)


def test_whichever_was_not_needed_for_longest_makes_room():
    cache = PrefixCache(max_bytes=100)
    for key in (b"a", b"b", b"c"):
        cache.put(key, prefix(1))
    cache.get(b"a")
    cache.put(b"d", prefix(1))
    assert [key for key in (b"a", b"b", b"c", b"d") if cache.get(key)] == [b"a", b"c", b"d"]
    assert cache.bytes == 96


def test_a_large_one_takes_the_room_of_several():
    cache = PrefixCache(max_bytes=100)
    for key in (b"a", b"b", b"c"):
        cache.put(key, prefix(1))
    cache.put(b"d", prefix(3))
    assert len(cache) == 1 and cache.bytes == 96 and cache.get(b"d")


def test_what_is_too_large_by_itself_is_not_kept_and_drives_nothing_out():
    cache = PrefixCache(max_bytes=100)
    cache.put(b"a", prefix(1))
    cache.put(b"b", prefix(4))
    assert cache.get(b"a") and not cache.get(b"b")


def test_the_same_again_takes_no_more_room():
    cache = PrefixCache()
    cache.put(b"a", prefix(1))
    cache.put(b"a", prefix(1))
    assert (len(cache), cache.bytes) == (1, 32)
