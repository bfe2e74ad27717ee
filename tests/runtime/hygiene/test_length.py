import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.length import shortened


@pytest.mark.parametrize(
    ("text", "max_sentences", "line"),
    [
        ("One. Two. Three.", 2, "One. Two."),
        ("One. Two and", 1, "One."),
        ("One. Two and", 2, "One. Two and"),
        ("一。二。三。", 2, "一。二。"),
        ("Раз! Два! Три!", 1, "Раз!"),
        ("واحد. اثنان؟ ثلاثة.", 2, "واحد. اثنان؟"),
        ("One.", None, "One."),
    ],
)
def test_no_more_sentences_than_allowed(text, max_sentences, line):
    assert shortened(text, max_sentences, None) == line


@pytest.mark.parametrize(
    ("text", "max_chars", "line"),
    [
        ("Aye. The sword costs gold.", 10, "Aye."),
        ("Aye. The sword costs gold.", 26, "Aye. The sword costs gold."),
        ("The sword, friend, costs gold.", 12, "The sword…"),
        ("Incomprehensibilities", 8, "Incompr…"),
        ("这把剑的价格是四十金币。", 6, "这把剑的价…"),
        ("好。这把剑的价格是四十金币。", 6, "好。"),
        ("ab👩‍🚒", 4, "ab…"),
        ("abcde\u0301f", 6, "abcd…"),
        ("ab👍🏽cd", 4, "ab…"),
    ],
)
def test_no_more_characters_than_allowed(text, max_chars, line):
    assert shortened(text, None, max_chars) == line


@given(st.text(alphabet="ab .!?。👩\u200d\ufe0f\u0301", max_size=60), st.integers(1, 4), st.integers(2, 30))
def test_the_limits_hold_and_once_is_enough(text, max_sentences, max_chars):
    line = shortened(text, max_sentences, max_chars)
    assert len(line) <= max_chars
    assert shortened(line, max_sentences, max_chars) == line
    assert text.startswith(line.removesuffix("…"))
