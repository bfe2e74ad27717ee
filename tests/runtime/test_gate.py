import pytest

from runtime.gate import MAX_MEAN_ENTROPY, passing_draft, repeats_itself


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The sword costs 40 gold.", "The sword costs 40 gold."),
        ("Aye! What do you", "Aye!"),
        ("Aye. No? Well", "Aye. No?"),
        ('"Leave me."', '"Leave me."'),
        ("Well…", "Well…"),
        ("It costs 4.5 gold.", "It costs 4.5 gold."),
        ("It costs 4.5", ""),
        ("The sword costs", ""),
        ("", ""),
        ("...", ""),
        ("四十金币。要吗", "四十金币。"),
        ("いらっしゃい！お", "いらっしゃい！"),
        ("Сорок. Ты", "Сорок."),
        ("أربعون. هل", "أربعون."),
    ],
)
def test_only_whole_sentences_are_said(text, said):
    assert passing_draft(text, 0.0) == said


def test_a_draft_of_which_the_model_was_not_sure_is_not():
    assert passing_draft("Aye.", MAX_MEAN_ENTROPY) == "Aye."
    assert passing_draft("Aye.", MAX_MEAN_ENTROPY * 1.01) == ""


def test_neither_is_one_that_repeats_itself():
    assert passing_draft("The the the sword.", 0.0) == ""
    assert passing_draft("这把剑四十金币。盾也是四十金币。", 0.0) == "这把剑四十金币。盾也是四十金币。"
    assert passing_draft("这把剑四十金币。这把剑四十金币。", 0.0) == ""


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("No, no, no.", True),
        ("Aye, aye.", False),
        ("of the of the town", True),
        ("I sell swords. Yes, I sell SWORDS.", True),
        ("I sell swords. I sell shields.", False),
        ("", False),
        ("Aye.", False),
    ],
)
def test_three_words_again_or_one_three_times_are_a_repetition(text, repeats):
    assert repeats_itself(text) is repeats
