"""Keys of open facts: whatever a game may want to say something about, "tonight's supper" or "Mirwen's copper bell".

What is evaluated comes from a table. In training most keys are put together or made up: of a hundred that come again
and again a model learns the list, and then finds nothing under a key that it has not met.
"""

import random

from tools.train import lexicon
from tools.train.names import is_held_out, word

TABLE_SHARE = 0.3  # keys of training whose head is one of the table's
STRANGER_SHARE = 0.3  # of training whose owner is a person with a made-up name

_HELD_OUT_HEADS = tuple(head for head in lexicon.KEY_HEADS if is_held_out(head))
_TRAINED_HEADS = tuple(head for head in lexicon.KEY_HEADS if not is_held_out(head))
_NOUNS = tuple(
    noun
    for noun in dict.fromkeys((*_TRAINED_HEADS, *lexicon.GOODS, *lexicon.THINGS, *lexicon.SPOTS, *lexicon.DISHES))
    if noun not in _HELD_OUT_HEADS
)


def draw_heads(rng: random.Random, count: int, *, held_out: bool) -> list[str]:
    """Distinct heads of keys from one side of the split."""
    if held_out:
        return rng.sample(_HELD_OUT_HEADS, count)
    heads: list[str] = []
    while len(heads) < count:
        head = _trained_head(rng)
        if head not in heads:
            heads.append(head)
    return heads


def _trained_head(rng: random.Random) -> str:
    if rng.random() < TABLE_SHARE:
        return rng.choice(_TRAINED_HEADS)
    made_up = word(rng, held_out=False)
    pattern = rng.choice(("{noun}", "{quality} {noun}", "{other} {noun}", "{made_up} {noun}", "{made_up}"))
    return pattern.format(
        noun=rng.choice(_NOUNS), other=rng.choice(_NOUNS), quality=rng.choice(lexicon.QUALITIES), made_up=made_up
    )


def owned(rng: random.Random, head: str, *, held_out: bool) -> str:
    """The key with this head, as it stands inside a sentence."""
    if not held_out and rng.random() < STRANGER_SHARE:
        return f"{word(rng, held_out=False).capitalize()}'s {head}"
    return f"{rng.choice(lexicon.KEY_OWNERS)} {head}"
