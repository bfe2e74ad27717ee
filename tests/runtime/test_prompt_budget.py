from dataclasses import replace

import pytest

from runtime.errors import RequestError
from runtime.prompt_budget import PromptBudget, Room
from runtime.signature import Geometry, LayerGeometry

POCKET = Geometry(
    vocab_size=2048,
    hidden_size=192,
    canvas_length=32,
    max_positions=4096,
    sliding_window=512,
    layers=(LayerGeometry("full_attention", 2, 64),),
)


class TestBudget:
    def test_a_prompt_is_as_long_as_a_sliding_layer_sees(self):
        assert PromptBudget.for_model(POCKET) == PromptBudget(480, 300, 60, 120, 60)

    def test_or_longer_where_a_model_takes_very_long_ones(self):
        assert PromptBudget.for_model(replace(POCKET, max_positions=1 << 18)).prompt_tokens == 4096

    def test_never_longer_than_the_model_takes(self):
        assert PromptBudget.for_model(replace(POCKET, max_positions=100)).prompt_tokens == 68

    def test_it_can_be_said(self):
        assert PromptBudget.for_model(POCKET, 1600) == PromptBudget(1600, 1000, 200, 400, 200)

    @pytest.mark.parametrize("tokens", [63, 4065, "480"])
    def test_within_limits_that_are_named(self, tokens):
        with pytest.raises(RequestError, match="64 to 4064"):
            PromptBudget.for_model(POCKET, tokens)


class TestRoom:
    def test_what_does_not_fit_is_not_taken(self):
        room = Room(10)
        assert room.take(7) and not room.take(4) and room.take(3) and room.left == 0

    def test_what_is_taken_within_a_room_is_taken_out_of_it(self):
        room = Room(10)
        inner = room.within(6)
        assert inner.take(5) and (inner.left, room.left) == (1, 5)

    def test_a_room_within_is_never_larger_than_what_is_left_around_it(self):
        room = Room(10)
        inner = room.within(6)
        room.spend(8)
        assert inner.left == 2 and not inner.take(3)

    def test_there_is_never_less_than_nothing(self):
        room = Room(1)
        room.spend(5)
        assert room.left == 0
