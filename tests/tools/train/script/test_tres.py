"""Godot's text resources."""

import pytest

TRES = """\
[gd_resource type="Resource" script_class="DialogueResource" load_steps=2 format=3 uid="uid://c4w8n"]

[ext_resource type="Script" path="res://addons/dialogue_manager/dialogue_resource.gd" id="1_a"]

[resource]
script = ExtResource("1_a")
using_states = PackedStringArray()
titles = {
"start": "1"
}
character_names = PackedStringArray("Mira", "Dorn")
first_title = &"start"
lines = {
"1": {
"id": "1",
"type": "dialogue",
"next_id": "2",
"character": "Mira",
"character_replacements": Array[Dictionary]([]),
"text": "What will it be?\\nBe [b]quick[/b].",
"tags": PackedStringArray()
},
"2": {
"type": "response",
"next_id": "3",
"is_snippet": false,
"character": "",
"text": "The sword.",
"weight": 1.0
},
"3": {
"type": "dialogue",
"next_id": "4",
"character": "Mira",
"text": "Forty gold."
},
"4": {
"type": "dialogue",
"next_id": "end",
"character": "Dorn",
"text": "She says \\"forty\\" to {{who}}."
},
"5": {
"type": "mutation",
"next_id": "end",
"mutation": null
}
}
raw_text = ""
"""

OTHER_TRES = """\
[gd_resource type="Resource" load_steps=3 format=3]

[sub_resource type="Resource" id="1"]
speaker = "Mira"
text = "Forty gold."
offset = Vector2(1, -2.5)

[sub_resource type="Resource" id="2"]
speaker = "Dorn"
text = "Too much."

[resource]
entries = [SubResource("1"), SubResource("2")]
"""


def test_a_resource_of_dialogue_manager(told, read):
    assert told("smithy.tres", TRES) == [
        ("Mira", (), "What will it be? Be quick."),
        ("Mira", ("The sword.",), "Forty gold."),
    ]
    assert [sample.number for sample in read("smithy.tres", TRES).samples] == [14, 31]


def test_a_resource_of_one_s_own(told):
    assert told("shop.tres", OTHER_TRES) == [("Mira", (), "Forty gold."), ("Dorn", ("Forty gold.",), "Too much.")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lines = {}", "s.tres, line 1: this is no text resource of Godot"),
        (TRES.replace('"text": "Forty gold."', '"text": Forty'), "s.tres, line 35: 'Forty' is no value"),
        (TRES.replace('"next_id": "4",\n', '"next_id": "4"\n'), "a comma or } is missing"),
        (TRES + "\n!", "neither a section nor a property"),
    ],
)
def test_a_resource_that_is_none(fault, text, expected):
    assert expected in fault("s.tres", text)
