import json
import re

import pytest

from runtime.ask import BUILT_IN_NPCS
from runtime.errors import PalaverError, RequestError
from runtime.npc import Npc

SMITH = {
    "id": "smith",
    "name": "Mira",
    "role": "blacksmith",
    "place": "Oakvale",
    "mood": "tired",
    "manner": "gruff",
    "language": "English",
    "knowledge": ["The iron sword costs 40 gold.", "Ravenford lies to the north."],
    "secrets": ["The key is under the anvil."],
    "names": ["Tilda"],
    "actions": ["ring_bell()", "give(item: iron kettle|oak shield)"],
    "fallbacks": ["Later.", "Can you not see that I work?"],
    "situations": {"busy": ["Not now."], "night": ["We are closed.", "Come at dawn."]},
    "banned": ["crown"],
    "max_sentences": 2,
    "max_chars": 200,
}

TOML = """
id = "smith"
name = "Mira"
role = "blacksmith"
place = "Oakvale"
mood = "tired"
manner = "gruff"
language = "English"
knowledge = ["The iron sword costs 40 gold.", "Ravenford lies to the north."]
secrets = ["The key is under the anvil."]
names = ["Tilda"]
actions = ["ring_bell()", "give(item: iron kettle|oak shield)"]
fallbacks = ["Later.", "Can you not see that I work?"]
banned = ["crown"]
max_sentences = 2
max_chars = 200

[situations]
busy = ["Not now."]
night = ["We are closed.", "Come at dawn."]
"""


@pytest.mark.parametrize(("name", "text"), [("smith.toml", TOML), ("smith.json", json.dumps(SMITH))])
def test_mapping_and_files_give_the_same_persona(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert Npc.from_file(path) == Npc.from_file(str(path)) == Npc.from_mapping(SMITH)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    (tmp_path / "smith.toml").write_text(TOML, encoding="utf-8-sig")
    assert Npc.from_file(tmp_path / "smith.toml") == Npc.from_mapping(SMITH)


def test_a_persona_survives_the_way_through_plain_data():
    npc = Npc.from_mapping(SMITH)
    assert npc.to_mapping() == SMITH
    assert list(npc.to_mapping()) == list(SMITH)
    assert Npc.from_mapping(npc.to_mapping()) == npc


def test_what_is_empty_is_not_told():
    assert Npc("g", "Edda", "guard").to_mapping() == {"id": "g", "name": "Edda", "role": "guard"}


def test_personas_are_compared_and_hashed_by_what_they_say():
    first, second = Npc.from_mapping(SMITH), Npc.from_mapping(SMITH)
    assert first == second and hash(first) == hash(second)
    assert first != Npc.from_mapping(SMITH | {"situations": {"busy": ["Later."]}})


def test_only_id_name_and_role_are_needed():
    npc = Npc.from_mapping({"id": "g", "name": "Edda", "role": "guard"})
    assert (npc.place, npc.mood, npc.manner, npc.knowledge) == ("", "", "", ())


@pytest.mark.parametrize("key", ["id", "name", "role"])
def test_what_is_needed_must_be_there_and_say_something(key):
    without = {other: value for other, value in SMITH.items() if other != key}
    with pytest.raises(PalaverError, match=rf"npc\.{key} is missing"):
        Npc.from_mapping(without)
    with pytest.raises(PalaverError, match=rf"npc\.{key} is empty"):
        Npc.from_mapping(SMITH | {key: "  "})


def test_an_unknown_key_is_named_together_with_the_allowed_ones():
    with pytest.raises(RequestError, match=r"unknown key 'moood'.*id, name, role, place, mood, manner, language"):
        Npc.from_mapping(SMITH | {"moood": "tired"})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": 7}, "npc.name must be text, not int"),
        ({"mood": 5}, "npc.mood must be text, not int"),
        ({"knowledge": "One fact."}, "npc.knowledge must be a list of facts, not str"),
        ({"fallbacks": "Later."}, "npc.fallbacks must be a list of lines, not str"),
        ({"fallbacks": ["Later."] * 65}, "npc.fallbacks has 65 lines, at most 64"),
        ({"fallbacks": [""]}, "npc.fallbacks[0] is empty"),
        ({"banned": ["x" * 201]}, "npc.banned[0] has 201 characters, at most 200"),
        ({"banned": [1]}, "npc.banned[0] must be text, not int"),
        ({"knowledge": ["One fact.", 2]}, "npc.knowledge[1] must be text, not int"),
        ({"knowledge": ["One fact.", " "]}, "npc.knowledge[1] is empty"),
        ({"knowledge": ["Fact."] * 257}, "npc.knowledge has 257 facts, at most 256"),
        ({"place": "x" * 201}, "npc.place has 201 characters, at most 200"),
        ({"language": 5}, "npc.language must be text, not int"),
        ({"secrets": ["Fact."] * 65}, "npc.secrets has 65 facts, at most 64"),
        ({"names": ["Tilda"] * 257}, "npc.names has 257 names, at most 256"),
        ({"actions": ["nod()"] * 33}, "npc.actions has 33 declarations, at most 32"),
        ({"actions": ["Nod"]}, "the action 'Nod' cannot be read"),
        ({"situations": ["Later."]}, "npc.situations must be a table, not list"),
        ({"situations": {"busy": "Later."}}, "npc.situations.busy must be a list of lines, not str"),
        ({"situations": {"busy": ["Later."] * 65}}, "npc.situations.busy has 65 lines, at most 64"),
        ({"situations": {"": []}}, "a name in npc.situations is empty"),
        ({"situations": {str(n): [] for n in range(33)}}, "npc.situations has 33 situations, at most 32"),
        ({"max_sentences": 0}, "npc.max_sentences is 0, out of range"),
        ({"max_sentences": True}, "npc.max_sentences must be a whole number, not bool"),
        ({"max_chars": 19}, "npc.max_chars is 19, out of range. Give 20 to 2000"),
        ({"name": "Mi\ud800ra"}, "npc.name holds a lone surrogate at character 2"),
    ],
)
def test_wrong_values_are_named_with_their_limits(change, complaint):
    with pytest.raises(RequestError, match=re.escape(complaint)):
        Npc.from_mapping(SMITH | change)


def test_what_is_not_a_table_is_refused():
    with pytest.raises(RequestError, match="npc must be a table, not list"):
        Npc.from_mapping([("name", "Mira")])


@pytest.mark.parametrize("content", [b'{"id": "smith"', b'["smith"]', b"[" * 100_000])
def test_nor_is_everything_json_that_is_called_so(tmp_path, content):
    (tmp_path / "smith.json").write_bytes(content)
    with pytest.raises(RequestError, match=r"smith\.json(: npc must be a table| is not valid JSON)"):
        Npc.from_file(tmp_path / "smith.json")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'name = "Mira', "not valid TOML"),
        (b'name = "M\xffra"', "not valid TOML"),
        (b'age = "40"\n' + TOML.encode(), "unknown key 'age'"),
    ],
)
def test_errors_in_a_file_name_the_file(tmp_path, content, complaint):
    path = tmp_path / "smith.toml"
    path.write_bytes(content)
    with pytest.raises(RequestError, match=rf"smith\.toml.*{complaint}"):
        Npc.from_file(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RequestError, match=r"nobody\.toml cannot be read"):
        Npc.from_file(tmp_path / "nobody.toml")


FACT_SHAPES = re.compile(
    r"The [a-z ]+ costs \d+ gold\."
    r"|[A-Z]\w+ lies to the (north|south|east|west)\."
    r"|[A-Z][\w ]+ is at the [a-z ]+\."
    r"|[A-Z][a-z ]+ were seen near [A-Z]\w+\."
    r"|[A-Z][\w ]+ pays \d+ gold for [a-z ]+\."
)


@pytest.mark.parametrize("name", ["smith", "innkeeper", "guard"])
def test_built_in_personas_state_facts_the_way_the_pocket_model_learnt_them(name):
    npc = Npc.from_file(BUILT_IN_NPCS / f"{name}.toml")
    assert npc.id == name
    assert 5 <= len(npc.knowledge) <= 6
    for fact in npc.knowledge:
        assert FACT_SHAPES.fullmatch(fact), fact
