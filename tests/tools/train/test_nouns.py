"""Places and what else has a name of its own: endless in training, tables in the evaluation."""

import random
from collections.abc import Callable

import pytest

from tools.train import lexicon
from tools.train.nouns import draw_feast, draw_foes, draw_spots, draw_task, draw_work

DRAWN: list[tuple[Callable[..., str], tuple[str, ...]]] = [
    (draw_task, lexicon.TASKS),
    (draw_work, lexicon.ROLES),
    (draw_foes, lexicon.FOES),
    (draw_feast, lexicon.FEASTS),
]


@pytest.mark.parametrize(("draw", "table"), DRAWN)
def test_training_meets_more_than_the_table_and_the_evaluation_the_table_only(
    draw: Callable[..., str], table: tuple[str, ...]
) -> None:
    rng = random.Random(1)
    assert len({draw(rng, held_out=False) for _ in range(1000)}) > 4 * len(table)
    assert {draw(rng, held_out=True) for _ in range(1000)} <= set(table)


def test_places_of_the_evaluation_are_those_of_the_table() -> None:
    rng = random.Random(2)
    assert {spot for _ in range(50) for spot in draw_spots(rng, 16, held_out=True)} == set(lexicon.SPOTS)


@pytest.mark.parametrize("held_out", [False, True])
def test_the_places_of_a_scene_differ(held_out: bool) -> None:
    rng = random.Random(3)
    for _ in range(200):
        assert len(set(draw_spots(rng, 16, held_out=held_out))) == 16


def test_half_of_the_places_of_training_are_put_together() -> None:
    rng = random.Random(4)
    spots = [spot for _ in range(200) for spot in draw_spots(rng, 16, held_out=False)]
    made_up = sum(spot not in lexicon.SPOTS for spot in spots)
    assert 0.4 < made_up / len(spots) < 0.7
