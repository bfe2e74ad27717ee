import pytest

from runtime.hygiene.words import words_of
from runtime.repetition import RECENT_LINES, overlap, repeats_recent


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        ("The sword costs 40 gold.", "the sword costs 40 gold!"),
        ("“The sword costs 40 gold.”", "The sword costs 40 gold."),
        ("I told you, the sword costs forty gold coins.", "Friend, I told you, the sword costs forty gold coins."),
        ("Меч стоит сорок золотых.", "меч стоит СОРОК золотых"),
        ("这把剑四十金币。", "这把剑四十金币！"),
        ("この剣は四十ゴールドです。", "「この剣は四十ゴールドです」"),
        ("السيف بأربعين ذهبًا.", "السيف بأربعين ذهبا!"),
        ("Mind the step 🙂", "Mind the step"),
    ],
)
def test_the_same_again_is_a_repetition_whatever_is_done_with_case_and_marks(text, earlier):
    assert repeats_recent(text, ["Something else.", earlier])


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        ("Aye.", "Aye."),
        ("No, thanks.", "No, thanks."),
        ("The sword costs 40 gold.", "The shield costs 25 gold."),
        ("The sword? It costs 40 gold, as I said.", "The sword costs 40 gold."),
        ("这把剑四十金币。", "这面盾二十五金币。"),
        ("Welcome back, friend.", "Welcome to my forge."),
    ],
)
def test_short_words_and_the_same_fact_in_other_words_are_none(text, earlier):
    assert not repeats_recent(text, [earlier])


def test_only_the_last_lines_count():
    later = [f"Line number {number} of many." for number in range(RECENT_LINES)]
    assert not repeats_recent("Mind the wet floor.", ["Mind the wet floor.", *later])
    assert repeats_recent("Mind the wet floor.", ["Mind the wet floor.", *later[1:]])


def test_overlap_is_the_share_of_runs_that_came_before():
    earlier = words_of("one two three four five")
    assert overlap(words_of("One, two, three four five!"), earlier) == 1.0
    assert overlap(words_of("one two three six seven"), earlier) == pytest.approx(1 / 3)
    assert overlap(words_of("one two"), earlier) == 0.0
