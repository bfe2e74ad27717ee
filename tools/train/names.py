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
_PERSON_ENDINGS = listed("""
    ric, wyn, mund, bert, lyn, gard, helm, dra, ella, ina, mir, ton, wen, olf, sha, ette, is, us, ward, rin
    """)
_TOWN_BEGINNINGS = listed("""
    mill, stone, ash, oak, elm, thorn, black, white, red, green, grey, gold, silver, iron, copper, salt, sand, mud,
    clay, cold, deep, high, low, long, broad, fair, dark, bright, north, south, east, west, summer, winter, wolf, bear,
    fox, hawk, raven, crow, swan, deer, ox, ram, lamb, horse, king, queen, knight, bishop, fisher, miller, hunter, rain,
    storm, frost, snow, mist, sun, moon, star, barley, wheat, rye, hop, honey, rose, lily, fern, moss, briar, hazel
    """)
_CODAS = ("n", "r", "l", "s", "th", "k", "m", "rd", "x", "nd", "", "", "")
_TOWN_ENDINGS = listed("""
    ford, bridge, moor, vale, wick, watch, fen, gate, mere, hollow, ton, port, stead, crag, haven,
    brook, field, wood, hill, dale, burn, well, cross, bury, ham, ley, marsh, fall, rock, keep, reach, water, cliff,
    den, by, thorpe, shire, land, mouth, bay, market, church, castle
    """)
_HELD_OUT_SHARE = 8  # one name in eight is never trained on


def is_held_out(name: str) -> bool:
    """Whether `name` belongs to the held-out part: evaluated on, never trained on."""
    return zlib.crc32(name.encode("utf-8")) % _HELD_OUT_SHARE == 0


def _syllables(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_NUCLEI) for _ in range(count))


def _person(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return (_syllables(rng, 1) + rng.choice(_CODAS) + rng.choice(_PERSON_ENDINGS)).capitalize()
    return (_syllables(rng, rng.choice((1, 2, 2))) + rng.choice(_CODAS)).capitalize()


def _town(rng: random.Random) -> str:
    beginning = rng.choice(_TOWN_BEGINNINGS) if rng.random() < 0.5 else _syllables(rng, 1) + rng.choice(_CODAS)
    return (beginning + rng.choice(_TOWN_ENDINGS)).capitalize()


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


def word(rng: random.Random, *, held_out: bool) -> str:
    """A made-up word in lower case, from one side of the split: what a password or the name of a dance may be."""
    while True:
        made = _person(rng)
        if len(made) >= 3 and is_held_out(made) == held_out:
            return made.lower()
