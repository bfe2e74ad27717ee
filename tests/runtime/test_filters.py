import functools
import re

import pytest

from runtime.errors import PalaverError, RequestError
from runtime.filters import MAX_ALLOWED, StudioFilters, load_filter


def shout(text, npc):
    """A filter as a studio might write one: `tests` that need a name for one use it."""
    return text.upper()


def no_anchors(text, npc):
    return None if re.search("anchor|якорь|锚", text, re.IGNORECASE) else text


def test_without_filters_a_line_is_left_alone(mira):
    assert StudioFilters().apply("Aye.", mira) == "Aye."
    assert StudioFilters(allowed=("Aye",)).apply("Aye.", mira) == "Aye."


def test_each_filter_gets_what_the_one_before_it_made(mira):
    filters = StudioFilters((shout, lambda text, npc: f"{text}!"))
    assert filters.apply("aye", mira) == "AYE!"
    assert StudioFilters((no_anchors, shout)).apply("the anchor", mira) is None


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        ("Crown and Anchor", "Meet me at the crown and anchor."),
        ("Золотой якорь", "Это «Золотой якорь»."),
        ("金锚", "金锚 很好。"),
    ],
)
def test_an_allowed_phrase_is_not_seen_by_filters_and_stays_as_it_was(mira, allowed, text):
    assert StudioFilters((no_anchors,)).apply(text, mira) is None
    assert StudioFilters((no_anchors,), (allowed,)).apply(text, mira) == text


def test_only_the_phrase_is_allowed(mira):
    filters = StudioFilters((no_anchors,), ("Crown and Anchor",))
    assert filters.apply("An anchor at the Crown and Anchor.", mira) is None
    assert filters.apply("The Crown and Anchorage.", mira) is None


def test_phrases_come_back_in_their_order_whatever_the_filter_did(mira):
    filters = StudioFilters((shout,), ("Red Boar", "Red", "Inn"))
    assert filters.apply("go to the Red Boar, the red one, an inn", mira) == "GO TO THE Red Boar, THE red ONE, AN inn"
    cutting = StudioFilters((lambda text, npc: text.split(",")[0],), ("Boar",))
    assert cutting.apply("a Boar, a Boar", mira) == "a Boar"


def broken(text, npc):
    raise KeyError("mood")


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        (broken, "test_filters:broken fails (KeyError: 'mood')"),
        (lambda text, npc: text.encode(), "<lambda> returns bytes"),
        (lambda text: text, "<lambda> fails (TypeError:"),
        (functools.partial(shout, npc=None), "the filter functools:partial fails (TypeError:"),
    ],
)
def test_a_filter_that_does_not_answer_is_told_by_its_name(mira, check, problem):
    with pytest.raises(PalaverError) as caught:
        StudioFilters((check,)).apply("Aye.", mira)
    assert caught.value.code == "filter-failed"
    assert problem in caught.value.message
    assert "return the text to be said, or None" in caught.value.hint


@pytest.mark.parametrize("allowed", [("",), ("x" * 201,), ("x",) * (MAX_ALLOWED + 1)])
def test_allowed_phrases_have_limits(allowed):
    with pytest.raises(RequestError):
        StudioFilters(allowed=allowed)


def test_a_filter_is_loaded_by_its_name(mira):
    assert load_filter("textwrap:dedent")("  Aye.") == "Aye."


@pytest.mark.parametrize("name", ["no.such.module:f", "string:nothing", "string", "string:digits", ":", ""])
def test_what_is_no_filter_is_told_by_its_name(name):
    with pytest.raises(RequestError, match=re.escape(repr(name))):
        load_filter(name)


@pytest.mark.parametrize("name", ["string", "string:", ":dedent"])
def test_how_a_filter_is_named_is_told_where_it_is_not_so(name):
    with pytest.raises(RequestError, match="names no function") as caught:
        load_filter(name)
    assert caught.value.hint == "Write module:function"
