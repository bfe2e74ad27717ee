"""Yarn Spinner's nodes, options and commands."""

import pytest

YARN = """\
// The smithy, morning.
title: Smithy
tags: morning
position: -12,40
---
<<if $met_borin is false>>
    Borin: Never seen you before. #line:0a1b
    <<set $met_borin to true>>
<<else>>
    Borin: [wave]You[/wave] again!
<<endif>>
-> How much is the sword? #line:0a1c
    Borin: Forty gold. // a fair price
    Borin: And not a coin less.
    -> That is too much.
        Borin: Then use a stick.
-> Any news? <<if $day > 2>>
    Borin: Wolves near {$town}.
    Mira: He means near here.
Borin: Anything else?
The fire crackles.
<<jump Smithy_End>>
===
title: Smithy_End
---
Player: Farewell.
Borin: Hm: farewell.
===
"""


def test_yarn(told, read):
    assert told("smithy.yarn", YARN) == [
        ("Borin", (), "Never seen you before."),
        ("Borin", (), "You again!"),
        ("Borin", ("How much is the sword?",), "Forty gold."),
        ("Borin", ("How much is the sword?",), "And not a coin less."),
        ("Borin", ("How much is the sword?", "And not a coin less.", "That is too much."), "Then use a stick."),
        ("Mira", (), "He means near here."),
        ("Borin", (), "Anything else?"),
        ("Borin", ("Farewell.",), "Hm: farewell."),
    ]
    script = read("smithy.yarn", YARN)
    assert script.samples[2].number == 13
    assert script.left_out == {"holds variables": 1, "names no speaker": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: A\n---\nBorin: Hi.\n", "s.yarn, line 4: the last node has no ==="),
        ("title: A\nBorin\n---\n===\n", "s.yarn, line 2: 'Borin' is no header"),
        ("---\nBorin: Hi.\n===\n", "s.yarn, line 1: a node begins without a title"),
        ("title: A\n---\n===\ntitle: B\n", "s.yarn, line 5: the last node has no ---"),
    ],
)
def test_yarn_that_is_none(fault, text, expected):
    assert fault("s.yarn", text).endswith(expected)
