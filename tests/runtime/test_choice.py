"""What may be asked of a choice."""

import re

import pytest

from runtime.choice import MAX_OPTION_CHARS, Choice, ChooseRequest
from runtime.errors import RequestError
from runtime.line import Timings
from runtime.schedule import Policy
from runtime.world import World

TWO = ("Aye.", "Nay.")


def test_what_may_be_left_out_has_defaults(mira):
    request = ChooseRequest(mira, "Hello", list(TWO), [["Hi", "Hm."]], {"time": ["It is evening."]})
    assert request.options == TWO
    assert request.history == (("Hi", "Hm."),)
    assert isinstance(request.world, World)
    assert (request.deadline_ms, request.priority, request.policy) == (None, 0, Policy.QUEUE)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"npc": "smith"}, "npc must be an Npc, not str"),
        ({"text": " "}, "text is empty"),
        ({"options": "Aye."}, "options must be a list of answers, not str"),
        ({"options": ("Aye.",)}, "options has 1 answers, at least 2 are needed"),
        ({"options": ("Aye.",) * 17}, "options has 17 answers, at most 16"),
        ({"options": ("Aye.", "")}, "options[1] is empty"),
        ({"options": ("Aye.", "x" * (MAX_OPTION_CHARS + 1))}, "options[1] has 401 characters, at most 400"),
        ({"options": ("Aye.", 3)}, "options[1] must be text, not int"),
        ({"history": 3}, "history must be a list of turns, not int"),
        ({"world": 3}, "world must be a table, not int"),
        ({"summary": "x" * 4001}, "summary has 4001 characters"),
        ({"deadline_ms": 0}, "deadline_ms is 0"),
        ({"priority": 11}, "priority is 11"),
        ({"policy": "later"}, "policy is 'later'"),
    ],
)
def test_what_is_out_of_its_limits_is_named(mira, change, complaint):
    with pytest.raises(RequestError, match=re.escape(complaint)):
        ChooseRequest(**{"npc": mira, "text": "Hello", "options": TWO, **change})


def test_a_choice_as_plain_data():
    choice = Choice(1, (0.25, 0.75), "model", "stop", Timings(0.0, 1.0, 2.0, 3.0, 4.0))
    assert choice.to_mapping() == {
        "index": 1,
        "probabilities": [0.25, 0.75],
        "source": "model",
        "finish_reason": "stop",
        "timings": {"queue_ms": 0.0, "encode_ms": 1.0, "denoise_ms": 2.0, "compute_ms": 3.0, "total_ms": 4.0},
    }
