import itertools

from hypothesis import given
from hypothesis import strategies as st

from runtime.fallback import MAX_SPEAKERS, NEUTRAL_LINES, FallbackLines

LINES = ("Later.", "Not now.", "Come back soon.")


def chosen(fallbacks, speaker, authored, seed):
    text = fallbacks.choose(speaker, authored, seed)
    fallbacks.note(speaker, text)
    return text


@given(st.lists(st.sampled_from(LINES), max_size=3, unique=True), st.lists(st.integers(0, 2**63 - 1), max_size=20))
def test_no_line_is_said_twice_running(authored, seeds):
    fallbacks = FallbackLines()
    said = [chosen(fallbacks, "mira", authored, seed) for seed in seeds]
    assert all(first != second for first, second in itertools.pairwise(said))
    assert set(said) <= {*authored, *NEUTRAL_LINES}
    if len(authored) > 1:
        assert set(said) <= set(authored)


def test_seeds_vary_the_line():
    assert {FallbackLines().choose("mira", LINES, seed) for seed in range(50)} == set(LINES)


def test_a_line_of_the_model_counts_as_said():
    fallbacks = FallbackLines()
    fallbacks.note("mira", "Later.")
    assert {fallbacks.choose("mira", LINES[:2], seed) for seed in range(20)} == {"Not now."}
    assert {fallbacks.choose("tom", LINES[:2], seed) for seed in range(20)} == set(LINES[:2])


def test_without_lines_of_its_own_a_character_says_something_neutral():
    assert FallbackLines().choose("mira", (), 1) in NEUTRAL_LINES


def test_who_has_been_silent_for_longest_is_forgotten():
    fallbacks = FallbackLines()
    for number in (*range(MAX_SPEAKERS), 0, MAX_SPEAKERS):
        fallbacks.note(number, "Later.")
    assert fallbacks.choose(0, ("Later.",), 1) in NEUTRAL_LINES
    assert fallbacks.choose(1, ("Later.",), 1) == "Later."
