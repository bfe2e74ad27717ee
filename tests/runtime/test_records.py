import re
from dataclasses import dataclass
from typing import Literal

import pytest

from runtime.records import RecordError, record_from


@dataclass(frozen=True)
class Wheel:
    spokes: int

    def __post_init__(self):
        if self.spokes < 3:
            raise ValueError("spokes must be at least 3")


@dataclass(frozen=True)
class Cart:
    name: str
    weight_kg: float
    drawn_by: Literal["ox", "horse"]
    wheels: tuple[Wheel, ...]
    prices: dict[str, int]
    driver: str | None
    covered: bool = False


CART = {
    "name": "hay",
    "weight_kg": 90,
    "drawn_by": "ox",
    "wheels": [{"spokes": 8}, {"spokes": 10}],
    "prices": {"hire": 3},
    "driver": None,
}


def test_nested_data_becomes_records():
    cart = record_from(Cart, CART, "cart")
    assert cart == Cart("hay", 90.0, "ox", (Wheel(8), Wheel(10)), {"hire": 3}, None)
    assert isinstance(cart.weight_kg, float)


def test_unknown_keys_are_left_alone():
    assert record_from(Wheel, {"spokes": 8, "iron": True}, "wheel") == Wheel(8)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": 1}, "cart.name must be a string, not a number"),
        ({"weight_kg": "90"}, "cart.weight_kg must be a number, not a string"),
        ({"weight_kg": True}, "cart.weight_kg must be a number, not a boolean"),
        ({"drawn_by": "cat"}, "cart.drawn_by is 'cat', expected one of 'ox', 'horse'"),
        ({"wheels": {}}, "cart.wheels must be a list, not an object"),
        ({"wheels": [{"spokes": 8}, {}]}, "cart.wheels[1].spokes is missing"),
        ({"wheels": [{"spokes": 8.5}]}, "cart.wheels[0].spokes must be a whole number, not a number"),
        ({"wheels": [{"spokes": True}]}, "cart.wheels[0].spokes must be a whole number, not a boolean"),
        ({"wheels": [{"spokes": 2}]}, "cart.wheels[0]: spokes must be at least 3"),
        ({"wheels": [None]}, "cart.wheels[0] must be an object, not null"),
        ({"prices": {"hire": "3"}}, "cart.prices['hire'] must be a whole number, not a string"),
        ({"prices": []}, "cart.prices must be an object, not a list"),
        ({"driver": 4}, "cart.driver must be str or null, not a number"),
        ({"covered": 1}, "cart.covered must be true or false, not a number"),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(change, complaint):
    with pytest.raises(RecordError, match=f"^{re.escape(complaint)}$"):
        record_from(Cart, CART | change, "cart")
