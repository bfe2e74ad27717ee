import pytest

from runtime.draft import stable_chars


@pytest.mark.parametrize(
    ("text", "settled", "stable"),
    [
        ("The sword costs", "The sword", "The sword"),
        ("The sword costs", "The swo", "The"),
        ("The sword costs", "The sword costs", "The sword costs"),
        ("The sword costs", "The shield", "The"),
        ("The sword costs", "The swords", "The"),
        ("The sword", "The sword costs", "The sword"),
        ("The", "", ""),
        ("The", "Th", ""),
        ("", "", ""),
    ],
)
def test_what_is_stable_are_whole_words_that_both_begin_with(text, settled, stable):
    assert text[: stable_chars(text, settled)] == stable
