import pytest

from runtime.hygiene.words import words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Long live the KING!", ["long", "live", "the", "king"]),
        ("I don't; Mira’s café", ["i", "dont", "mira", "cafe"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Меч Ёж", ["меч", "еж"]),
        ("ＦＵＬＬ ﬁn", ["full", "fin"]),
        ("السَّيْف", ["السيف"]),
        ("k\u200bing", ["king"]),
        ("नहीं, हाँ।", ["नहीं", "हाँ"]),
        ("40 gold", ["40", "gold"]),
        ("国王abc", ["国", "王", "abc"]),
        ("ガラス", ["ガ", "ラ", "ス"]),
        ("👩‍🚒 ... !", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert words_of(text) == words


def test_where_there_are_no_spaces_runs_stand_for_words():
    assert words_of("四十金币", 2) == ["四十", "十金", "金币"]
    assert words_of("剑", 2) == ["剑"]
