import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import RequestError
from runtime.memory import MAX_TURNS, Memory
from runtime.saved_turns import read_save, save_text

said = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
memories = st.builds(
    Memory,
    st.lists(st.tuples(said, said | st.just("")), max_size=MAX_TURNS).map(tuple),
    said | st.just(""),
)


@given(said, memories)
def test_what_is_saved_is_read_again(npc_id, memory):
    assert read_save(save_text(npc_id, memory)) == (npc_id, memory)


def test_the_form_is_that_of_the_protocol():
    expected = '{"palaver_save": 2, "npc": "smith", "summary": "They met.", "turns": [["你好", "Aye."]]}'
    assert save_text("smith", Memory((("你好", "Aye."),), "They met.")) == expected


def test_the_first_version_which_had_no_summary_is_still_read():
    data = '{"palaver_save": 1, "npc": "smith", "turns": [["Hello", "Aye."]]}'
    assert read_save(data) == ("smith", Memory((("Hello", "Aye."),)))


def test_a_save_is_small_and_says_nothing_of_the_persona():
    full = save_text("smith", Memory((("x" * 100, "y" * 100),) * MAX_TURNS, "z" * 400))
    assert len(full) < 4000
    assert set(json.loads(full)) == {"palaver_save", "npc", "summary", "turns"}


def test_of_too_many_turns_the_last_count_and_unknown_keys_are_ignored():
    every = [[f"question {number}", "answer"] for number in range(40)]
    data = json.dumps({"palaver_save": 1, "npc": "smith", "turns": every, "saved_at": "noon"})
    assert read_save(data)[1].turns == tuple((player, answer) for player, answer in every[-MAX_TURNS:])


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"palaver_save": 3}, "save-version", "version 3"),
        ({"palaver_save": 0}, "save-version", "version 0"),
        ({"palaver_save": True}, "bad-save", "palaver_save"),
        ({"palaver_save": "1"}, "bad-save", "palaver_save"),
        ({"npc": None}, "bad-save", "npc must be text"),
        ({"npc": ""}, "bad-save", "npc is empty"),
        ({"summary": 5}, "bad-save", "summary must be text"),
        ({"summary": None}, "bad-save", "summary must be text"),
        ({"summary": "x" * 4001}, "bad-save", "summary has 4001 characters"),
        ({"turns": None}, "bad-save", "turns"),
        ({"turns": [["Hi"]]}, "bad-save", "turns[0] is not a pair"),
        ({"turns": ["Hi"]}, "bad-save", "turns[0] is not a pair"),
        ({"turns": [["Hi", "Aye."], ["", "Aye."]]}, "bad-save", "turns[1][0] is empty"),
        ({"turns": [["Hi", 5]]}, "bad-save", "turns[0][1] must be text"),
        ({"turns": [["Hi", "x" * 4001]]}, "bad-save", "turns[0][1] has 4001 characters"),
    ],
)
def test_what_is_wrong_is_named(change, code, named):
    save = {"palaver_save": 2, "npc": "smith", "summary": "", "turns": [["Hi", "Aye."]]} | change
    with pytest.raises(RequestError) as caught:
        read_save(json.dumps(save))
    assert caught.value.code == code
    assert named in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "data", ["", "null", "[]", "{", "[" * 1_000_000, '{"palaver_save": 1' + "0" * 5000 + "}", "\ud800"]
)
def test_whatever_the_text_is_there_is_no_other_error(data):
    with pytest.raises(RequestError):
        read_save(data)


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(data):
    with pytest.raises(RequestError):
        read_save(data)
