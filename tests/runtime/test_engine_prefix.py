"""What was asked before makes a line cheaper, and changes nothing of it."""

from dataclasses import replace

import pytest

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.session import StepSession
from runtime.world import World

SMITH = Npc("smith", "Mira", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.", "It rains."))
GUARD = Npc("guard", "Edda", "guard", "Oakvale", knowledge=("The gate pass costs 5 gold.",), mood="tired")
EVENING = World.from_mapping({"time": ["It is evening."]})


def ask(npc, text="Hello", **options):
    return AskRequest(npc, text, seed=7, steps=3, max_tokens=20, **options)


@pytest.fixture(scope="module")
def bundle(tiny_bundle):
    return load_bundle(tiny_bundle)


@pytest.fixture(scope="module")
def session(bundle):
    return StepSession(bundle)


def make(bundle, session, **options):
    return Engine(bundle, session=session, **options)


def spoken(engine, *requests):
    """The lines, in the order of the requests, without their timings."""
    jobs = [engine.submit(request) for request in requests]
    lines = {}
    while not engine.idle:
        lines |= {outcome.job_id: outcome.line for outcome in engine.step()}
    return [replace(lines[job], timings=None) for job in jobs]


REQUESTS = [
    ask(SMITH),
    ask(GUARD),
    ask(SMITH, "What do you sell?", history=[("Hello", "Aye.")], world=EVENING, summary="They met at the mill."),
    ask(SMITH),
    ask(GUARD, "May I pass?", world=EVENING),
]


def test_lines_are_the_same_with_a_cache_that_is_empty_full_or_too_small(bundle, session):
    alone = [spoken(make(bundle, session, prefix_cache_mb=0), request)[0] for request in REQUESTS]
    warm = make(bundle, session)
    assert spoken(warm, *REQUESTS) == alone
    assert spoken(warm, *reversed(REQUESTS)) == alone[::-1]
    assert (len(warm.prefixes), warm.prefixes.hits) == (2, 8)


class Counting(StepSession):
    """A session that counts its encode passes."""

    encodes = 0

    def begin_encode(self, *arguments, **options):
        self.encodes += 1
        return super().begin_encode(*arguments, **options)


def test_a_persona_is_encoded_once(bundle):
    session = Counting(bundle)
    engine = make(bundle, session)
    for text, encodes in (("Hello", 2), ("What do you sell?", 3)):
        spoken(engine, AskRequest(SMITH, text, seed=7, steps=1, max_tokens=4))
        assert session.encodes == encodes
    assert (engine.prefixes.made, engine.prefixes.hits) == (1, 1)


def test_a_persona_that_changes_is_another(bundle, session):
    engine = make(bundle, session)
    angry = replace(SMITH, mood="angry")
    changed = spoken(engine, ask(SMITH), ask(angry))[1]
    assert [changed] == spoken(make(bundle, session), ask(angry))


def test_two_personas_that_read_the_same_are_one_whatever_their_ids(bundle, session):
    engine = make(bundle, session)
    spoken(engine, ask(SMITH))
    spoken(engine, ask(replace(SMITH, id="other", fallbacks=("Later.",))))
    assert engine.prefixes.hits == 1


def test_what_one_character_was_told_is_in_no_prompt_of_another(bundle, session):
    secret = replace(SMITH, secrets=("The key is under the anvil.",))
    engine = make(bundle, session)
    spoken(engine, ask(secret, "Where is the key?", history=[("Psst", "The abbot did it.")], summary="A murder."))
    told = engine.prompt(ask(GUARD, world=EVENING)).text
    assert not any(word in told for word in ("key", "abbot", "murder", "Mira"))
    assert spoken(engine, ask(GUARD)) == spoken(make(bundle, session), ask(GUARD))
