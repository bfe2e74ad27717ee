"""Tables with a row for each line."""

import pytest


def test_a_table_with_a_context(told):
    text = '\ufeffCharacter;Prompt;Text\r\nMira;How much?;"Forty; no less."\r\nPlayer;;Hm.\r\nMira;;Next!\r\n'
    assert told("lines.csv", text) == [("Mira", ("How much?",), "Forty; no less."), ("Mira", (), "Next!")]


def test_a_table_without_a_context_is_a_talk(told):
    text = (
        'scene,speaker,line\n1,Player,How much?\n1,Mira,Forty gold.\n1,You,Too much.\n1,Mira,"It is\nsteel."\n'
        "2,Dorn,Halt.\n,,\n2,Dorn,Move on.\n"
    )
    assert told("lines.csv", text) == [
        ("Mira", ("How much?",), "Forty gold."),
        ("Mira", ("How much?", "Forty gold.", "Too much."), "It is\nsteel."),
        ("Dorn", (), "Halt."),
        ("Dorn", (), "Move on."),
    ]


def test_tabs_separate_too(told):
    assert told("lines.tsv", "name\tdialogue\nMira\tForty, or fifty.\n") == [("Mira", (), "Forty, or fifty.")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who said,what\nMira,Hi.\n", "lines.csv, line 1: no column for the speaker"),
        ("speaker,words\nMira,Hi.\n", "lines.csv, line 1: no column for the line"),
        ("speaker,line\nMira,Hi.\nMira,Forty, or fifty.\n", "lines.csv, line 3: 3 cells, but the first row names 2"),
        ('speaker,line\nMira,"Hi.\n', "lines.csv, line 2: unexpected end of data"),
        (b"speaker,line\nMira,Hi.\nMira,Gr\xfc\xdfe\n", "lines.csv, line 3: this is not UTF-8"),
    ],
)
def test_a_table_that_is_none(fault, text, expected):
    assert expected in fault("lines.csv", text)
