"""Places, trades, errands and foes: in training half of them are put together, in the evaluation all are from tables.

Of a place that comes again and again a model learns the name, and need not read in the prompt what is said of it.
"""

import random

from tools.train import lexicon
from tools.train.names import word

MADE_UP_SHARE = 0.5  # of what training draws
_CRAFTS = ("maker", "seller", "mender", "keeper", "trader", "hunter", "painter", "collector", "thief")
_FOES = (*lexicon.FOES, "thieves", "snakes", "rats", "dogs", "ogres", "knights", "witches", "soldiers", "bats", "crabs")


def draw_spots(rng: random.Random, count: int, *, held_out: bool) -> list[str]:
    """Distinct places, as they stand behind "the"."""
    if held_out:
        return rng.sample(lexicon.SPOTS, count)
    spots: list[str] = []
    while len(spots) < count:
        spot = _spot(rng) if rng.random() < MADE_UP_SHARE else rng.choice(lexicon.SPOTS)
        if spot not in spots:
            spots.append(spot)
    return spots


def _spot(rng: random.Random) -> str:
    spot = rng.choice(lexicon.SPOTS)
    pattern = rng.choice(("{quality} {spot}", "{noun} {spot}", "{made_up} {spot}", "{noun} house", "{made_up}"))
    return pattern.format(
        spot=spot.removeprefix("old "),
        quality=rng.choice(lexicon.QUALITIES),
        noun=rng.choice(lexicon.GOODS),
        made_up=word(rng, held_out=False).capitalize(),
    )


def draw_task(rng: random.Random, *, held_out: bool) -> str:
    """What somebody pays for: "wolf pelts", "a copper bell"."""
    if held_out or rng.random() >= MADE_UP_SHARE:
        return rng.choice(lexicon.TASKS)
    quality = rng.choice(lexicon.QUALITIES)
    if rng.random() < 0.5:
        return f"{quality} {rng.choice(lexicon.STOCK)}"
    return lexicon.with_article(f"{quality} {rng.choice(lexicon.GOODS)}")


def draw_work(rng: random.Random, *, held_out: bool) -> str:
    """A trade, as it stands behind "a"."""
    if held_out or rng.random() >= MADE_UP_SHARE:
        return rng.choice([role for role in lexicon.ROLES if role[0] not in "aeiou"])
    return rng.choice([f"{good} {craft}" for good in lexicon.GOODS if good[0] not in "aeiou" for craft in _CRAFTS])


def draw_foes(rng: random.Random, *, held_out: bool) -> str:
    """Many of a kind that nobody wants to meet."""
    if held_out or rng.random() >= MADE_UP_SHARE:
        return rng.choice(lexicon.FOES)
    return f"{rng.choice(lexicon.QUALITIES)} {rng.choice(_FOES)}"


def draw_feast(rng: random.Random, *, held_out: bool) -> str:
    """What a town looks forward to."""
    if held_out or rng.random() >= MADE_UP_SHARE:
        return rng.choice(lexicon.FEASTS)
    subject = rng.choice((rng.choice(lexicon.GOODS), rng.choice(lexicon.FOOD_KINDS), word(rng, held_out=False)))
    return f"{subject} {rng.choice(('fair', 'feast', 'race', 'contest', 'festival', 'night', 'dance'))}"
