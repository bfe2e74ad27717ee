"""Keys of open facts: endless in training, a table of their own in the evaluation."""

import random
import re

import pytest

from tools.train import lexicon
from tools.train.keys import draw_heads, owned
from tools.train.names import is_held_out

HELD_OUT = {head for head in lexicon.KEY_HEADS if is_held_out(head)}


def test_training_seldom_meets_a_key_twice() -> None:
    rng = random.Random(1)
    heads = [head for _ in range(500) for head in draw_heads(rng, 9, held_out=False)]
    assert len(set(heads)) > len(heads) / 2


def test_no_key_of_training_has_a_head_that_is_evaluated() -> None:
    rng = random.Random(2)
    words = {word for _ in range(2000) for head in draw_heads(rng, 9, held_out=False) for word in head.split()}
    assert not words & HELD_OUT


def test_the_evaluation_asks_for_heads_of_its_own_table_only() -> None:
    rng = random.Random(3)
    assert {head for _ in range(50) for head in draw_heads(rng, 9, held_out=True)} == HELD_OUT


@pytest.mark.parametrize("held_out", [False, True])
def test_the_heads_of_a_scene_differ(held_out: bool) -> None:
    rng = random.Random(4)
    for _ in range(100):
        assert len(set(draw_heads(rng, 9, held_out=held_out))) == 9


def test_only_training_has_owners_with_made_up_names() -> None:
    rng = random.Random(5)
    trained = {owned(rng, "supper", held_out=False) for _ in range(300)}
    evaluated = {owned(rng, "supper", held_out=True) for _ in range(300)}
    assert any(re.match(r"[A-Z]\w+'s supper", key) for key in trained)
    assert evaluated <= {f"{owner} supper" for owner in lexicon.KEY_OWNERS}
