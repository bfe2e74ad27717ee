"""gettext's entries, translated and not."""

import pytest

PO = r"""# German
msgid ""
msgstr ""
"Language: de\n"

#. speaker: Mira
#. context: Wie viel kostet es?
#: smithy.yarn:12
msgid "Price: forty gold."
msgstr "Preis: vierzig Gold."

#, fuzzy
msgctxt "Dorn"
msgid ""
"Halt. "
"Say \"friend\"."
msgstr "Stop."

msgid "Mira: Mind the %s."
msgstr ""
msgid "Mira: Mind the door."
msgid_plural "Mira: Mind the doors."
msgstr[0] "Mira: Achte auf die Tür."
msgstr[1] "Mira: Achte auf die Türen."
msgid "Start game"
msgstr "Spiel starten"
#~ msgid "Mira: Gone."
#~ msgstr "Mira: Weg."
"""


def test_gettext(told, read):
    assert told("de.po", PO) == [
        ("Mira", ("Wie viel kostet es?",), "Preis: vierzig Gold."),
        ("Dorn", (), 'Halt. Say "friend".'),
        ("Mira", (), "Achte auf die Tür."),
    ]
    script = read("de.po", PO)
    assert script.samples[0].number == 9
    assert script.left_out == {"holds variables": 1, "names no speaker": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('msgid "Hi."\nmsgstr "Ha."\nhello\n', "s.po, line 3: 'hello' is no part of an entry"),
        ('msgid "Hi."\nmsgstr "H"a."\n', "s.po, line 2: this string is not closed"),
        ('msgid "Hi."\n', "s.po, line 1: the last entry has no msgstr"),
    ],
)
def test_gettext_that_is_none(fault, text, expected):
    assert expected in fault("s.po", text)
