import re

import pytest

from runtime.errors import RequestError
from runtime.npc import Npc
from runtime.request import AskRequest

MIRA = Npc("smith", "Mira", "blacksmith")


def test_only_persona_and_text_are_needed():
    request = AskRequest(MIRA, "Hello")
    assert (request.seed, request.steps, request.max_tokens, request.history) == (None, None, None, ())


@pytest.mark.parametrize(
    "values",
    [
        {"seed": 0, "steps": 1, "max_tokens": 1},
        {"seed": 2**63 - 1, "steps": 1000, "max_tokens": 4096},
        {"sampler": "reference", "deterministic": False},
        {"sampler": "fast"},
        {"text": "x" * 4000, "history": (("Hi", ""),) * 64},
    ],
)
def test_the_ends_of_every_range_are_allowed(values):
    AskRequest(**{"npc": MIRA, "text": "Hello"} | values)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"text": ""}, "text is empty"),
        ({"text": " \n"}, "text is empty"),
        ({"text": "x" * 4001}, "text has 4001 characters, at most 4000"),
        ({"text": b"Hello"}, "text must be text, not bytes"),
        ({"text": "\udcff"}, "text holds a lone surrogate at character 0"),
        ({"npc": "Mira"}, "npc must be an Npc, not str"),
        ({"seed": -1}, "seed is -1, out of range. Give 0 to 9223372036854775807"),
        ({"seed": 2**63}, "seed is 9223372036854775808, out of range"),
        ({"seed": 7.0}, "seed must be a whole number, not float"),
        ({"seed": "7"}, "seed must be a whole number, not str"),
        ({"seed": True}, "seed must be a whole number, not bool"),
        ({"steps": 0}, "steps is 0, out of range. Give 1 to 1000"),
        ({"steps": 1001}, "steps is 1001, out of range. Give 1 to 1000"),
        ({"max_tokens": 0}, "max_tokens is 0, out of range. Give 1 to 4096"),
        ({"max_tokens": 4097}, "max_tokens is 4097, out of range. Give 1 to 4096"),
        ({"sampler": "slow"}, "sampler is 'slow'. Allowed: reference, fast"),
        ({"sampler": 3}, "sampler is '3'. Allowed: reference, fast"),
        ({"deterministic": 1}, "deterministic must be true or false, not int"),
        ({"history": "Hello"}, "history must be a list of turns, not str"),
        ({"history": (("a", "b"),) * 65}, "history has 65 turns, at most 64"),
        ({"history": ("ab",)}, "history[0] is not a pair"),
        ({"history": (("a", "b"), ("a",))}, "history[1] is not a pair"),
        ({"history": ((" ", "b"),)}, "history[0][0] is empty"),
        ({"history": (("a", None),)}, "history[0][1] must be text, not NoneType"),
    ],
)
def test_what_is_wrong_is_named_with_its_limits(values, complaint):
    with pytest.raises(RequestError, match=re.escape(complaint)):
        AskRequest(**{"npc": MIRA, "text": "Hello"} | values)


def test_history_may_come_as_lists_and_is_kept_as_tuples():
    request = AskRequest(MIRA, "Hello", history=[["Hi", "Aye."]])
    assert request.history == (("Hi", "Aye."),)
