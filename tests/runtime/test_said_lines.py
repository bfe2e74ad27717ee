"""What becomes of the pocket model's own lines on their way through cleaning and verdict."""

import itertools

import pytest

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.errors import PalaverError
from runtime.filters import StudioFilters
from runtime.hygiene.words import words_of
from runtime.npc import Npc
from runtime.outcome import Failed
from runtime.palaver import Palaver
from runtime.pocket import POCKET_MODEL
from runtime.request import AskRequest

PRICE = "The iron sword costs 40 gold."
QUESTION = "What does the iron sword cost?"
FALLBACKS = ("Not now.", "The iron is hot.")


def smith(**fields):
    return Npc("smith", "Mira", "blacksmith", "Oakvale", fallbacks=FALLBACKS, **fields)


@pytest.fixture(scope="module")
def bundle():
    return load_bundle(POCKET_MODEL)


@pytest.fixture(scope="module")
def pocket(bundle):
    return Palaver(Engine(bundle))


def lines(pocket, npc, count=12, **options):
    return [pocket.ask(npc, QUESTION, seed=seed, steps=8, **options) for seed in range(count)]


def test_what_is_told_as_a_fact_is_not_told_as_a_secret(pocket):
    assert any("40" in words_of(line.text) for line in lines(pocket, smith(knowledge=(PRICE,))))
    kept = lines(pocket, smith(secrets=(PRICE,)))
    assert not any("40" in words_of(line.text) for line in kept)
    assert all(line.source == "fallback" and line.text in FALLBACKS for line in kept if line.finish_reason == "secret")


def test_a_character_never_says_again_what_it_has_just_said(pocket):
    npc = smith(knowledge=(PRICE,))
    for first in lines(pocket, npc):
        again = pocket.ask(npc, QUESTION, seed=first.seed, steps=8, history=[(QUESTION, first.text)])
        assert again.text.casefold() != first.text.casefold()
        assert again.finish_reason != "repeat" or (again.source, again.rerolls) == ("fallback", 1)


def test_a_line_keeps_to_the_limits_of_its_character(pocket):
    npc = smith(knowledge=(PRICE, "Norwick lies to the north."), max_sentences=1, max_chars=24)
    assert all(len(line.text) <= 24 for line in lines(pocket, npc))


def test_the_studio_s_filter_has_the_last_word(bundle):
    npc = smith(knowledge=(PRICE,))
    shouting = Palaver(Engine(bundle, filters=StudioFilters((lambda text, npc: text.upper(),))))
    assert all(line.text == line.text.upper() for line in lines(shouting, npc, 4) if line.source == "model")
    silent = Palaver(Engine(bundle, filters=StudioFilters((lambda text, npc: None,))))
    refused = lines(silent, npc, 4)
    assert {(line.source, line.finish_reason) for line in refused} <= {("fallback", "filtered"), ("fallback", "empty")}
    assert any(line.finish_reason == "filtered" for line in refused)


def failing(text, npc):
    if npc.mood == "angry":
        raise ValueError(text)
    return text


@pytest.mark.parametrize("drafts", [False, True])
def test_a_filter_that_fails_ends_the_line_that_it_fails_at_and_no_other(bundle, drafts):
    palaver = Palaver(Engine(bundle, filters=StudioFilters((failing,))))
    with pytest.raises(PalaverError, match="test_said_lines:failing fails"):
        palaver.ask(smith(mood="angry"), QUESTION, seed=1, steps=8, on_draft=[].append if drafts else None)
    assert palaver.ask(smith(), QUESTION, seed=1, steps=8).source == "model"


def test_nor_does_it_end_more_where_a_deadline_cuts_the_line(bundle):
    now_s = [0.0]

    def expire(report):
        now_s[0] += 100.0 if report.result.mean_entropy < 0.5 else 0.0

    engine = Engine(bundle, filters=StudioFilters((failing,)), clock=lambda: now_s[0])
    # A draft that may not be said is never shown to a filter: of several one will do.
    ended = {"calm": [], "angry": []}
    for mood, seed in itertools.product(ended, range(6)):
        asked = AskRequest(smith(mood=mood, knowledge=(PRICE,)), QUESTION, seed=seed, steps=24, deadline_ms=50_000)
        engine.submit(asked, on_step=expire)
        while not engine.idle:
            ended[mood] += engine.step()
    assert ("draft", "deadline") in {(outcome.line.source, outcome.line.finish_reason) for outcome in ended["calm"]}
    failures = [outcome.error.code for outcome in ended["angry"] if isinstance(outcome, Failed)]
    assert failures and set(failures) == {"filter-failed"}
    assert all(isinstance(outcome, Failed) or outcome.line.source == "fallback" for outcome in ended["angry"])
