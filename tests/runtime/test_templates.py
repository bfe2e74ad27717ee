"""Two thousand random templates: whatever becomes of a line, every pin is in it, and nothing but the gaps is new."""

import random

import pytest

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.npc import Npc
from runtime.outcome import Finished
from runtime.pocket import POCKET_MODEL
from runtime.request import AskRequest
from tests.random_templates import random_template

ESCAPES = ("plain", "bbcode", "richtext", "yarn", "ink")
PHRASES = ("40 gold", "[sic]", "\u56db\u5341", "by the old mill, at dawn")


@pytest.fixture(scope="module")
def pocket():
    engine = Engine(load_bundle(POCKET_MODEL), max_batch=4)
    engine.calibrate()
    return engine


def request(seed, **options):
    """An ask with a random template, and everything else that a line may meet."""
    draw, template = random.Random(seed), random_template(seed)
    # Each speaks for itself: what one has to say may not wait for another.
    npc = Npc(
        f"npc {seed}",
        "Mira",
        "blacksmith",
        "Oakvale",
        knowledge=("The iron sword costs 40 gold.",),
        banned=draw.choice(((), ("gold", "the"))),
        max_sentences=draw.choice((None, 1)),
        max_chars=draw.choice((None, 40)),
    )
    phrases = draw.sample(PHRASES, draw.randint(0, 2)) if template.has_free_gap and draw.random() < 0.4 else []
    options = {
        "steps": draw.choice((1, 1, 2, 3)),
        "stop_after_steps": draw.choice((None, 1, 3, 9)),
        "sampler": draw.choice(("fast", "fast", "fast", "reference")),
        "escape": draw.choice(ESCAPES),
        "deterministic": draw.random() < 0.5,
        "must_include": phrases,
    } | options
    return template, AskRequest(npc, "What does the sword cost?", seed=seed, template=template.text, **options)


def lines(engine, asked):
    """The lines to these requests, asked at once."""
    wanted = {engine.submit(ask): number for number, (_, ask) in enumerate(asked)}
    found = {}
    while not engine.idle:
        for outcome in engine.step():
            assert isinstance(outcome, Finished), outcome
            found[wanted[outcome.job_id]] = outcome.line
    return [found[number] for number in range(len(asked))]


def assert_pinned(engine, seeds, **options):
    sources = set()
    for start in range(0, len(seeds), 8):
        asked = [request(seed, **options) for seed in seeds[start : start + 8]]
        for (template, ask), line in zip(asked, lines(engine, asked), strict=True):
            sources.add(line.source)
            assert template.pattern.fullmatch(line.text), (ask.seed, template.text, line)
            for phrase in ask.must_include:
                assert phrase in line.text, (ask.seed, template.text, line)
    return sources


def test_lines_of_the_pocket_model(pocket):
    assert assert_pinned(pocket, range(600)) == {"model", "draft", "fallback"}


def test_lines_that_a_deadline_ends(pocket):
    for deadline_ms in (1, 40, 150):
        seeds = range(1000 * deadline_ms, 1000 * deadline_ms + 100)
        assert "fallback" in assert_pinned(pocket, seeds, deadline_ms=deadline_ms, stop_after_steps=None)


def test_lines_of_a_model_that_writes_noise(tiny_bundle):
    assert_pinned(Engine(load_bundle(tiny_bundle)), range(10_000, 10_800), steps=1)


@pytest.mark.parametrize("slices", [2, 3])
def test_lines_of_a_model_in_slices(tiny_slices, slices):
    assert_pinned(Engine(load_bundle(tiny_slices[slices])), range(20_000, 20_150), steps=1)


def test_company_slices_and_restarts_change_no_letter(tiny_bundle, tiny_slices):
    alone, sliced = Engine(load_bundle(tiny_bundle), max_batch=1), Engine(load_bundle(tiny_slices[2]))
    asked = [request(seed, stop_after_steps=None, steps=3, deterministic=True) for seed in range(12)]
    expected = [lines(alone, [ask])[0] for ask in asked]
    in_company = lines(sliced, asked)
    assert [line.text for line in in_company] == [line.text for line in expected]
    assert [line.steps_done for line in in_company] == [line.steps_done for line in expected]
