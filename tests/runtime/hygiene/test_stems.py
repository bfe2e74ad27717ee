import pytest

from runtime.hygiene.stems import stem


@pytest.mark.parametrize(
    "words",
    [
        ("hide", "hides", "hiding", "hidden"),
        ("bury", "buries", "buried"),
        ("door", "doors"),
        ("thief", "thiefs"),
        ("sell", "sells", "selling", "seller"[:4]),
        ("мельница", "мельницы", "мельницу"),
        ("كنز", "الكنز", "والكنز"),
        ("宝藏",),
        ("40",),
    ],
)
def test_forms_of_a_word_share_a_stem(words):
    assert len({stem(word) for word in words}) == 1


def test_a_stem_is_never_empty():
    assert all(stem(word) for word in ("s", "es", "ing", "ال", "я", "剑"))
