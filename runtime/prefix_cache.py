"""Keys and values of the stable parts of prompts, kept for as long as there is room for them."""

from collections import OrderedDict

from runtime.session import Prefix

DEFAULT_CACHE_MB = 256
"""Room by default. A persona of a hundred tokens takes a third of a megabyte of the pocket model."""


class PrefixCache:
    """Encoded stable parts by their tokens; whichever was not needed for longest makes room for the next.

    Args:
        max_bytes: of all of them together; what alone takes more is not kept.

    Attributes:
        hits: times that something was there.
        made: times that something was put in because it was not.
        bytes: that are taken now.
    """

    def __init__(self, max_bytes: int = DEFAULT_CACHE_MB << 20) -> None:
        self.hits = 0
        self.made = 0
        self.bytes = 0
        self._max_bytes = max_bytes
        self._kept: OrderedDict[bytes, Prefix] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: bytes) -> Prefix | None:
        """What was put in under this key, if it still is there; not to be changed."""
        prefix = self._kept.get(key)
        if prefix is not None:
            self.hits += 1
            self._kept.move_to_end(key)
        return prefix

    def put(self, key: bytes, prefix: Prefix) -> None:
        """Keep a prefix, whose arrays nobody may change or share with larger ones, under a key."""
        self.made += 1
        if key in self._kept or _size(prefix) > self._max_bytes:
            return
        self._kept[key] = prefix
        self.bytes += _size(prefix)
        while self.bytes > self._max_bytes:
            self.bytes -= _size(self._kept.popitem(last=False)[1])


def _size(prefix: Prefix) -> int:
    return sum(array.nbytes for array in prefix.arrays)
