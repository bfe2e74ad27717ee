import re

import pytest

from runtime.errors import RequestError
from runtime.world import World, WorldSection

PLAIN = {"time": ["It is evening."], "prices": {"facts": ["Bread costs 2 gold."], "budget_tokens": 40}}


def test_sections_keep_their_order():
    world = World.from_mapping(PLAIN)
    assert world == World(
        (WorldSection("time", ("It is evening.",)), WorldSection("prices", ("Bread costs 2 gold.",), 40))
    )


def test_a_world_survives_the_way_through_plain_data():
    assert World.from_mapping(PLAIN).to_mapping() == PLAIN
    assert list(World.from_mapping(PLAIN).to_mapping()) == ["time", "prices"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "world.json",
            '{"time": ["It is evening."], "prices": {"facts": ["Bread costs 2 gold."], "budget_tokens": 40}}',
        ),
        ("world.toml", 'time = ["It is evening."]\n[prices]\nfacts = ["Bread costs 2 gold."]\nbudget_tokens = 40\n'),
    ],
)
def test_it_is_read_from_a_file(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert World.from_file(tmp_path / name) == World.from_mapping(PLAIN)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["It is evening."], "world must be a table, not list"),
        ({"time": "evening"}, "world.time.facts must be a list of facts, not str"),
        ({"time": [""]}, "world.time.facts[0] is empty"),
        ({"time": {"facts": [], "budget": 3}}, "world.time has an unknown key 'budget'"),
        ({"time": {"facts": [], "budget_tokens": -1}}, "world.time.budget_tokens is -1, out of range"),
        ({"time": ["x" * 1001]}, "world.time.facts[0] has 1001 characters, at most 1000"),
        ({"time": ["Fact."] * 257}, "world.time.facts has 257 facts, at most 256"),
        ({7: []}, "the name of a world section must be text, not int"),
        ({" ": []}, "the name of a world section is empty"),
        ({"id": "smith", "name": "Mira", "role": "blacksmith", "knowledge": []}, "world looks like a persona"),
        ({str(number): [] for number in range(33)}, "world has 33 sections, at most 32"),
        ({str(number): ["Fact."] * 200 for number in range(3)}, "world has 600 facts, at most 512"),
    ],
)
def test_wrong_values_are_named_with_their_limits(given, complaint):
    with pytest.raises(RequestError, match=re.escape(complaint)):
        World.from_mapping(given)


def test_two_sections_of_one_name_are_refused():
    with pytest.raises(RequestError, match="two sections of one name"):
        World((WorldSection("time", ()), WorldSection("time", ())))


def test_a_world_may_have_sections_that_are_called_like_fields_of_a_persona():
    world = World.from_mapping({"id": ["One."], "name": ["Two."], "role": ["Three."]})
    assert [section.name for section in world.sections] == ["id", "name", "role"]
