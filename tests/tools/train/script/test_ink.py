"""ink's knots, choices, gathers and logic."""

import pytest

INK = """\
INCLUDE people.ink
VAR gold = 12
/* The smithy,
   morning. */
=== smithy ===
# speaker: Borin
Never seen you before.
Remember: look around. # speaker: Borin # calm
* [How much is the sword?] -> price
* "Any news?" I asked[.], leaning on the anvil.
  Borin: Wolves near the mill. <>
  * * {gold > 5} [Who hunts them?]
      Borin: Hawen does.
  * * [I see.]
  - - Borin: So stay inside.
+ (leave) Leave -> DONE
- Borin: Mind the door.
-> smithy

= price
{ gold > 40:
    Borin: Forty gold, rich friend.
- else:
    Borin: More than you have.
- hours > 20: Borin: It is late.
}
Borin: You have {gold} gold.
The fire crackles. // a comment
~ gold = gold - 1
-> END
"""


def test_ink(told, read):
    assert told("smithy.ink", INK) == [
        ("Borin", (), "Never seen you before."),
        ("Borin", (), "Remember: look around."),
        ("Borin", ("Any news?",), "Wolves near the mill."),
        ("Borin", ("Any news?", "Wolves near the mill.", "Who hunts them?"), "Hawen does."),
        ("Borin", (), "So stay inside."),
        ("Borin", (), "Mind the door."),
        ("Borin", (), "Forty gold, rich friend."),
        ("Borin", (), "More than you have."),
        ("Borin", (), "It is late."),
    ]
    script = read("smithy.ink", INK)
    assert script.samples[0].number == 7
    assert script.left_out == {"holds variables": 1, "names no speaker": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Borin: Hi.\n/* never\n", "s.ink, line 2: this comment is never closed"),
        ("Borin: Hi.\n{ x:\nBorin: Hm.\n", "s.ink, line 2: this { is never closed"),
    ],
)
def test_ink_that_is_none(fault, text, expected):
    assert fault("s.ink", text).endswith(expected)
