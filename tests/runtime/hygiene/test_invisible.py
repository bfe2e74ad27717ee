import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.invisible import MAX_MARKS, without_invisible

FLAG_OF_ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        "Añejo café — naïve ﬁn.",
        "Меч стоит сорок золотых, ёж!",
        "这把剑四十金币。",
        "この剣は四十ゴールドです。ガラス",
        "السيف بأربعين ذهبًا.",
        "می‌خواهم",
        "क्‍ष नहीं",
        "สวัสดีครับ",
        "שָׁלוֹם",
        "Tiếng Việt",
        "👩‍🚒 👨‍👩‍👧‍👦 👍🏽 ❤️ 1️⃣ 🗡️ ☠︎",
        FLAG_OF_ENGLAND,
        "“Aye” – ‘no’ … €",
    ],
)
def test_what_can_be_seen_stays_and_so_does_what_holds_it_together(text):
    assert without_invisible(text) == text
    assert without_invisible(unicodedata.normalize("NFD", text)) == unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hel\x1b[31mlo\x00\x7f\x9f", "Hel[31mlo"),
        ("p\u200ba\u200dss\u2060wo\ufeffrd\u00ad", "password"),
        ("\u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c", "evil x "),
        ("\u3164\u2800\u115f\uffa0\u034f", ""),
        ("\ue000\U000f0000\ud800", ""),
        ("a\ufffdb\ufffc", "ab"),
        ("x\U000e0041\U000e0042", "x"),
        ("❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f"),
        ("a \ufe0f\ufe0fb", "a b"),
        ("\u200d👩\u200d", "👩"),
        ("one\ntwo\tthree\u2028", "one\ntwo\tthree\u2028"),
    ],
)
def test_what_cannot_be_seen_goes(text, shown):
    assert without_invisible(text) == shown


def test_of_a_flood_of_marks_a_few_are_left():
    assert (
        without_invisible("Z" + "\u0351" * 50 + "a" + "\u0489" * 50)
        == f"Z{chr(0x351) * MAX_MARKS}a{chr(0x489) * MAX_MARKS}"
    )


@given(st.text(max_size=60))
def test_once_is_enough_and_nothing_is_left(text):
    shown = without_invisible(text)
    assert without_invisible(shown) == shown
    assert not any(unicodedata.category(char) in ("Co", "Cs") for char in shown)
    assert not any(unicodedata.category(char) == "Cc" and not char.isspace() for char in shown)
    shown.encode("utf-8")
