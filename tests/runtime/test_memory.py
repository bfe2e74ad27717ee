import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.memory import KEPT_TURNS, MAX_SUMMARY_CHARS, MAX_TURNS, Memory, condensed

TURNS = tuple((f"question {number}", f"answer {number}") for number in range(MAX_TURNS + 4))


def tell(summary, turns):
    """A summariser that tells what it was given."""
    return " ".join([summary, *(player_text for player_text, _ in turns)]).strip()


def memory_of(count, summary=""):
    return Memory(TURNS[:count], summary)


def test_sixteen_turns_are_kept_and_a_long_line_is_cut_to_what_a_history_may_hold():
    memory = Memory()
    for player_text, _ in TURNS:
        memory = memory.with_turn((player_text, "x" * 5000))
    assert [player_text for player_text, _ in memory.turns] == [said for said, _ in TURNS[-MAX_TURNS:]]
    assert {len(answer) for _, answer in memory.turns} == {4000}


@pytest.mark.parametrize(("keep", "kept"), [(0, ()), (2, TURNS[3:5]), (9, TURNS[:5])])
def test_a_summary_stands_for_all_but_the_last_turns(keep, kept):
    assert memory_of(5, "Long ago.").summarised("They spoke.", keep) == Memory(kept, "They spoke.")


def test_nothing_is_summarised_while_a_prompt_tells_it_all():
    memory = memory_of(7)
    assert condensed(memory, 7, tell) is memory


def test_turns_that_no_prompt_tells_fall_out_together_with_some_more():
    memory = condensed(memory_of(7, "They met."), 6, tell)
    assert memory == Memory(TURNS[3:7], "They met. question 0 question 1 question 2")
    assert len(memory.turns) == KEPT_TURNS


def test_where_fewer_fit_fewer_are_kept():
    assert condensed(memory_of(3), 1, tell) == Memory(TURNS[2:3], "question 0 question 1")
    assert condensed(memory_of(3), 0, tell) == Memory((), "question 0 question 1 question 2")


def test_the_summariser_is_called_before_the_oldest_turn_would_be_lost():
    memory = condensed(memory_of(MAX_TURNS), MAX_TURNS, tell)
    assert memory.turns == TURNS[MAX_TURNS - KEPT_TURNS : MAX_TURNS]
    assert "question 0" in memory.summary


@given(st.integers(0, MAX_TURNS), st.integers(0, MAX_TURNS))
def test_no_turn_is_lost_without_having_been_told_to_the_summariser(count, told):
    memory = memory_of(count)
    after = condensed(memory, min(told, count), tell)
    assert after.summary.count("question") + len(after.turns) == count


@pytest.mark.parametrize(
    "summariser",
    [
        lambda summary, turns: 1 / 0,
        lambda summary, turns: None,
        lambda summary, turns: "",
        lambda summary, turns: "x" * (MAX_SUMMARY_CHARS + 1),
        lambda: "no arguments",
    ],
    ids=["raises", "returns nothing", "empty", "too long", "other arguments"],
)
def test_a_summariser_that_fails_changes_nothing_and_is_logged(summariser, caplog):
    memory = memory_of(7, "They met.")
    with caplog.at_level(logging.ERROR, "palaver"):
        assert condensed(memory, 2, summariser) is memory
    assert "the summariser failed" in caplog.text
