"""Endless names of people and towns from syllables, split once for all into a training part and a held-out part.

A model that has met ten thousand names must copy the eleventh from the prompt; one that has met forty remembers them.
The split is by a checksum of the name itself, so no list has to be kept and no seed can leak a held-out name into
training.
"""

import random
import zlib
from collections.abc import Callable

from tools.train.lexicon import listed

_ONSETS = listed("""
    b, br, c, d, dr, f, g, gr, h, j, k, kr, l, m, n, p, r, s, st, t, th, tr, v, w, y, z, sh, el, al, or, is, ar, em, ul
    """)
_NUCLEI = listed("""
    a, e, i, o, u, ae, ia, or, an, en, il, ul, ei, ea
    """)
_CODAS = ("n", "r", "l", "s", "th", "k", "m", "rd", "x", "nd", "", "", "")
_TOWN_ENDINGS = listed("""
    ford, bridge, moor, vale, wick, watch, fen, gate, mere, hollow, ton, port, stead, crag, haven
    """)
_HELD_OUT_SHARE = 8  # one name in eight is never trained on


def is_held_out(name: str) -> bool:
    """Whether `name` belongs to the held-out part: evaluated on, never trained on."""
    return zlib.crc32(name.encode("utf-8")) % _HELD_OUT_SHARE == 0


def _syllables(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_NUCLEI) for _ in range(count))


def _person(rng: random.Random) -> str:
    return (_syllables(rng, rng.choice((1, 2, 2))) + rng.choice(_CODAS)).capitalize()


def _town(rng: random.Random) -> str:
    return (_syllables(rng, 1) + rng.choice(_CODAS) + rng.choice(_TOWN_ENDINGS)).capitalize()


def distinct_names(rng: random.Random, people: int, towns: int, *, held_out: bool) -> tuple[list[str], list[str]]:
    """Draw distinct names of people and towns from one side of the split.

    Args:
        rng: the only source of randomness.
        people, towns: how many of each.
        held_out: True draws only names that training never sees, False only the others.
    """

    def draw(make: Callable[[random.Random], str], count: int) -> list[str]:
        found: list[str] = []
        while len(found) < count:
            name = make(rng)
            if len(name) >= 3 and name not in taken and is_held_out(name) == held_out:
                taken.add(name)
                found.append(name)
        return found

    taken: set[str] = set()
    return draw(_person, people), draw(_town, towns)
