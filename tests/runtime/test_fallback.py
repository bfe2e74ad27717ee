import itertools

from hypothesis import given
from hypothesis import strategies as st

from runtime.fallback import MAX_SPEAKERS, NEUTRAL_LINES, FallbackLines
from runtime.npc import Npc

LINES = ("Later.", "Not now.", "Come back soon.")


def npc(fallbacks=(), **fields):
    return Npc("mira", "Mira", "blacksmith", fallbacks=tuple(fallbacks), **fields)


def chosen(fallbacks, speaker, persona, seed, situation=None):
    text = fallbacks.choose(speaker, persona, seed, situation)
    fallbacks.note(speaker, text)
    return text


@given(st.lists(st.sampled_from(LINES), max_size=3, unique=True), st.lists(st.integers(0, 2**63 - 1), max_size=20))
def test_no_line_is_said_twice_running(authored, seeds):
    fallbacks = FallbackLines()
    said = [chosen(fallbacks, "mira", npc(authored), seed) for seed in seeds]
    assert all(first != second for first, second in itertools.pairwise(said))
    assert set(said) <= {*authored, *NEUTRAL_LINES}
    if len(authored) > 1:
        assert set(said) <= set(authored)


def test_seeds_vary_the_line():
    assert {FallbackLines().choose("mira", npc(LINES), seed) for seed in range(50)} == set(LINES)


def test_a_line_of_the_model_counts_as_said():
    fallbacks = FallbackLines()
    fallbacks.note("mira", "Later.")
    assert {fallbacks.choose("mira", npc(LINES[:2]), seed) for seed in range(20)} == {"Not now."}
    assert {fallbacks.choose("tom", npc(LINES[:2]), seed) for seed in range(20)} == set(LINES[:2])


def test_without_lines_of_its_own_a_character_says_something_neutral():
    assert FallbackLines().choose("mira", npc(), 1) in NEUTRAL_LINES


def test_who_has_been_silent_for_longest_is_forgotten():
    fallbacks = FallbackLines()
    for number in (*range(MAX_SPEAKERS), 0, MAX_SPEAKERS):
        fallbacks.note(number, "Later.")
    assert fallbacks.choose(0, npc(["Later."]), 1) in NEUTRAL_LINES
    assert fallbacks.choose(1, npc(["Later."]), 1) == "Later."


PRICES = {"price": ("Too dear? Then go.", "Ask me tomorrow."), "fight": ("To arms!",)}


def test_a_situation_has_lines_of_its_own():
    persona = npc(LINES, situations=PRICES)
    said = {FallbackLines().choose("mira", persona, seed, "price") for seed in range(50)}
    assert said == set(PRICES["price"])
    assert {FallbackLines().choose("mira", persona, seed, "weather") for seed in range(50)} == set(LINES)


def test_when_its_only_line_was_just_said_another_one_is():
    fallbacks, persona = FallbackLines(), npc(LINES, situations=PRICES)
    said = [chosen(fallbacks, "mira", persona, seed, "fight") for seed in range(20)]
    assert said[::2] == ["To arms!"] * 10
    assert set(said[1::2]) <= set(LINES)


@given(
    st.lists(st.sampled_from([None, "price", "fight", "weather"]), max_size=20),
    st.integers(0, 2**63 - 1),
)
def test_nor_is_any_line_said_twice_running_whatever_the_situation(situations, seed):
    fallbacks, persona = FallbackLines(), npc(["Later."], situations=PRICES)
    said = [chosen(fallbacks, "mira", persona, seed, situation) for situation in situations]
    assert all(first != second for first, second in itertools.pairwise(said))


def test_what_an_author_wrote_is_said_as_it_is():
    persona = npc(["By the crown, Marten did it!"], banned=("crown",), secrets=("Marten did it.",))
    assert FallbackLines().choose("mira", persona, 1) == "By the crown, Marten did it!"
