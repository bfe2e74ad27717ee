"""Declarations of actions, and the calls that they allow."""

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actions import MAX_CALLS, ActionCall, concrete_calls, parse_actions
from runtime.errors import RequestError


def calls(*declarations):
    return concrete_calls(parse_actions(declarations))


def test_an_action_without_arguments_is_one_call():
    assert calls("open_gate()") == [ActionCall("open_gate", {})]
    assert calls("open_gate( )")[0].text == "open_gate()"


def test_a_text_is_one_of_those_that_stand_there():
    found = calls("give(item: iron kettle|oak shield)")
    assert [call.args for call in found] == [{"item": "iron kettle"}, {"item": "oak shield"}]
    assert [call.text for call in found] == ["give(iron kettle)", "give(oak shield)"]


def test_a_whole_number_is_one_of_its_range():
    assert [call.args["amount"] for call in calls("pay(amount: 1..20)")] == list(range(1, 21))
    assert [call.args["by"] for call in calls("turn(by: -1..1)")] == [-1, 0, 1]
    assert all(isinstance(call.args["amount"], int) for call in calls("pay(amount: 1..20)"))


def test_arguments_are_combined():
    found = calls("trade(item: rope|torch, count: 1..2)")
    assert [call.text for call in found] == ["trade(rope, 1)", "trade(rope, 2)", "trade(torch, 1)", "trade(torch, 2)"]
    assert found[1].to_mapping() == {"name": "trade", "args": {"item": "rope", "count": 2}}


def test_the_prompt_names_the_arguments_only():
    actions = parse_actions(("open_gate()", "give(item: iron kettle|oak shield)", "trade(item: a|b, count: 1..2)"))
    assert [action.text for action in actions] == ["open_gate()", "give(item)", "trade(item, count)"]


def test_spaces_do_not_matter_around_words_and_are_single_inside():
    assert calls("  give ( item :  iron   kettle | oak shield ) ") == calls("give(item: iron kettle|oak shield)")


def test_values_may_be_words_of_any_language():
    assert [call.text for call in calls("give(item: 鉄のやかん|щит)")] == ["give(鉄のやかん)", "give(щит)"]


@pytest.mark.parametrize(
    ("declaration", "complaint"),
    [
        ("open gate()", "it is not a name and brackets"),
        ("Open()", "it is not a name and brackets"),
        ("open", "it is not a name and brackets"),
        ("open() and close()", "it is not a name and brackets"),
        ("open(door: a(b))", "it is not a name and brackets"),
        ("give(item)", "'item' is not a name, a colon and values"),
        ("give(item: a,)", "'' is not a name, a colon and values"),
        ("give(item: )", "a value of item is empty"),
        ("give(item: a||b)", "a value of item is empty"),
        ("give(item: a|b| a)", "item has a value twice"),
        ("give(item: a, item: b)", "two arguments have one name"),
        ("pay(amount: 20..1)", "20..1 is not a range"),
        ("pay(amount: 1..9999999999)", "is not a range of whole numbers up to 1000000000"),
        ("f(" + ", ".join(f"a{number}: x" for number in range(9)) + ")", "it has 9 arguments, at most 8"),
    ],
)
def test_what_cannot_be_read_is_named(declaration, complaint):
    with pytest.raises(RequestError, match=re.escape(complaint)):
        parse_actions((declaration,))


def test_a_name_is_declared_once():
    with pytest.raises(RequestError, match="the action give is declared twice"):
        parse_actions(("give(item: a)", "open()", "give(item: b)"))


def test_at_most_64_calls_in_all():
    assert len(calls("pay(amount: 1..63)", "open()")) == MAX_CALLS
    with pytest.raises(RequestError, match="allow 65 different calls, at most 64"):
        parse_actions(("pay(amount: 1..64)", "open()"))
    with pytest.raises(RequestError, match="allow 1000000000000000000000000 different calls"):
        parse_actions(("pay(" + ", ".join(f"a{number}: 1..1000" for number in range(8)) + ")",))


names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_characters="|,()[]", exclude_categories=("C", "Z")), min_size=1, max_size=8)
ranges = st.builds(lambda low, count: range(low, low + count), st.integers(-99, 99), st.integers(1, 4))
values = st.one_of(st.lists(texts, min_size=1, max_size=4, unique=True).map(tuple), ranges)
declared = st.dictionaries(names, st.dictionaries(names, values, max_size=2), min_size=1, max_size=4)


def written(name, arguments):
    parts = [
        f"{key}: {of.start}..{of.stop - 1}" if isinstance(of, range) else f"{key}: {'|'.join(of)}"
        for key, of in arguments.items()
    ]
    return f"{name}({', '.join(parts)})"


def is_read_as_range(value):
    return re.fullmatch(r"-?\d+\.\.-?\d+", value) is not None


@given(declared)
def test_every_combination_and_no_other_is_a_call(actions):
    declarations = tuple(written(name, arguments) for name, arguments in actions.items())
    count = sum(math.prod(len(of) for of in arguments.values()) for arguments in actions.values())
    lone_texts = [of[0] for arguments in actions.values() for of in arguments.values() if len(of) == 1]
    if count > MAX_CALLS or any(isinstance(text, str) and is_read_as_range(text) for text in lone_texts):
        return
    expected = [
        ActionCall(name, dict(zip(arguments, combination, strict=True)))
        for name, arguments in actions.items()
        for combination in itertools.product(*arguments.values())
    ]
    assert calls(*declarations) == expected


@given(st.text(max_size=40))
def test_whatever_is_written_is_read_or_refused(declaration):
    try:
        actions = parse_actions((declaration,))
    except RequestError as error:
        assert error.code
        return
    assert 0 < len(concrete_calls(actions)) <= MAX_CALLS
