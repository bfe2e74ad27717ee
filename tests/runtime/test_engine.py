"""Jobs through a real (tiny, random) model.

Such a model speaks gibberish, but the same gibberish for a seed, and its end tokens may be chosen: taking a token that
it is known to say as the end token steers where a line ends.
"""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from runtime.bundle import load_bundle
from runtime.denoise import Canvas, Clamp, DenoiseSettings, denoise
from runtime.engine import Engine
from runtime.errors import ModelError, RequestError
from runtime.fallback import NEUTRAL_LINES
from runtime.outcome import Failed, Finished
from runtime.prefill import PREFILL_CHUNK, Prefill
from runtime.request import AskRequest
from runtime.rng import CanvasDraws
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS
from runtime.schedule import Run, Scheduler
from runtime.session import StepSession
from runtime.text import LineReader, TextRules, clean

STEPS = 3
SEED = 13


@pytest.fixture(scope="module")
def bundle(tiny_bundle):
    return load_bundle(tiny_bundle)


@pytest.fixture(scope="module")
def canvas_length(bundle):
    return SAMPLERS[DEFAULT_SAMPLER].canvas_length(bundle.manifest.geometry.canvas_length)


@pytest.fixture(scope="module")
def said(bundle, mira, canvas_length):
    """The tokens of two canvases and a bit, spoken by a model that knows no end."""
    length = 2 * canvas_length + 3
    request = AskRequest(mira, "Hello", seed=SEED, steps=STEPS, max_tokens=length)
    for token_id in range(bundle.manifest.geometry.vocab_size):
        line, reports = run(ending_at(bundle, token_id), request)
        if line.finish_reason == "max_tokens" and line.rerolls == 0:
            return tokens_of(reports)
    raise AssertionError("every token is spoken")


def ending_at(bundle, *eos_token_ids):
    """An engine whose lines end at these tokens."""
    generation = replace(bundle.manifest.generation, eos_token_ids=eos_token_ids)
    return Engine(replace(bundle, manifest=replace(bundle.manifest, generation=generation)))


def silent_token(bundle, said):
    """A token that the line does not have."""
    return next(token for token in range(bundle.manifest.geometry.vocab_size) if token not in said)


def run(engine, request):
    reports = []
    job_id = engine.submit(request, reports.append)
    outcomes = []
    while not outcomes:
        outcomes += engine.step()
    assert engine.idle
    assert [outcome.job_id for outcome in outcomes] == [job_id]
    return outcomes[0].line, reports


def prompt_chunks(engine, npc, text="Hello"):
    prompt = engine._prompts.build(npc, text)
    return Prefill(prompt.ids, prompt.stable_length).passes_left()


def tokens_of(reports):
    """The tokens of a line: the last argmax of each canvas."""
    last = {report.canvas: report.result.argmax.tolist() for report in reports}
    return [token for canvas in last.values() for token in canvas]


def first_occurrence(said, start, stop):
    """An index in [start, stop) whose token is said there for the first time."""
    return next(index for index in range(start, stop) if said.index(said[index]) == index)


class TestLength:
    @pytest.mark.parametrize(("canvases", "more"), [(0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0), (2, 3)])
    def test_max_tokens_is_exact_and_the_last_canvas_as_short_as_it_allows(
        self, bundle, mira, said, canvas_length, canvases, more
    ):
        max_tokens = canvases * canvas_length + more
        engine = ending_at(bundle, silent_token(bundle, said))
        line, reports = run(engine, AskRequest(mira, "Hello", seed=SEED, steps=STEPS, max_tokens=max_tokens))
        lengths = [len(list(group)[-1].result.argmax) for _, group in itertools.groupby(reports, lambda r: r.canvas)]
        assert (line.tokens, line.finish_reason) == (max_tokens, "max_tokens")
        assert sum(lengths) == max_tokens
        assert all(length == canvas_length for length in lengths[:-1])
        assert line.canvases == len(lengths) == -(-max_tokens // canvas_length)

    def test_the_model_s_own_length_is_the_default(self, bundle, mira, said):
        generation = replace(
            bundle.manifest.generation,
            eos_token_ids=(silent_token(bundle, said),),
            max_new_tokens=5,
            max_denoising_steps=2,
        )
        engine = Engine(replace(bundle, manifest=replace(bundle.manifest, generation=generation)))
        line, _ = run(engine, AskRequest(mira, "Hello", seed=SEED))
        assert (line.tokens, line.steps_done) == (5, 2)

    def test_a_line_never_grows_beyond_the_model_s_positions(self, bundle, mira, said):
        engine = ending_at(bundle, silent_token(bundle, said))
        prompt = len(engine._prompts.build(mira, "Hello").ids)
        positions = prompt + bundle.manifest.geometry.canvas_length + 2
        short = replace(bundle.manifest, geometry=replace(bundle.manifest.geometry, max_positions=positions))
        engine.bundle = replace(engine.bundle, manifest=replace(short, generation=engine.bundle.manifest.generation))
        line, _ = run(engine, AskRequest(mira, "Hello", seed=SEED, steps=1, max_tokens=4096))
        assert line.tokens == bundle.manifest.geometry.canvas_length + 2


class TestEnd:
    def test_a_line_ends_before_its_first_end_token(self, bundle, mira, said, canvas_length):
        end = first_occurrence(said, 4, canvas_length)
        line, _ = run(ending_at(bundle, said[end]), AskRequest(mira, "Hello", seed=SEED, steps=STEPS))
        assert (line.tokens, line.canvases, line.finish_reason) == (end, 1, "stop")
        tokens = bundle.manifest.tokens
        raw = LineReader(bundle.tokenizer, tokens).read(said[:end])
        assert line.text == clean(raw, TextRules.of(mira, tokens.special)).text

    def test_any_end_token_ends_it(self, bundle, mira, said, canvas_length):
        first = first_occurrence(said, 1, canvas_length)
        later = first_occurrence(said, first + 1, len(said))
        engine = ending_at(bundle, said[later], silent_token(bundle, said), said[first])
        assert run(engine, AskRequest(mira, "Hello", seed=SEED, steps=STEPS))[0].tokens == first

    def test_the_next_canvas_is_made_of_the_finished_one(self, bundle, mira, said, canvas_length):
        end = first_occurrence(said, canvas_length, 2 * canvas_length)
        line, _ = run(ending_at(bundle, said[end]), AskRequest(mira, "Hello", seed=SEED, steps=STEPS))
        assert (line.tokens, line.canvases, line.finish_reason) == (end, 2, "stop")

    def test_an_end_token_first_on_a_later_canvas_is_simply_the_end(self, bundle, mira, said, canvas_length):
        engine = ending_at(bundle, silent_token(bundle, said))
        for seed in range(50):
            request = AskRequest(mira, "Hello", seed=seed, steps=1, max_tokens=2 * canvas_length)
            tokens = tokens_of(run(engine, request)[1])
            if tokens.index(tokens[canvas_length]) == canvas_length:
                break
        line, _ = run(ending_at(bundle, tokens[canvas_length]), request)
        assert (line.tokens, line.canvases, line.rerolls, line.finish_reason) == (canvas_length, 2, 0, "stop")

    def test_a_finished_canvas_is_encoded_only_if_another_follows(self, bundle, mira, said, canvas_length):
        for max_tokens, more_encodes in ((canvas_length, 0), (canvas_length + 1, 1)):
            engine = ending_at(bundle, silent_token(bundle, said))
            encodes = prompt_chunks(engine, mira) + more_encodes
            engine.submit(AskRequest(mira, "Hello", seed=SEED, steps=STEPS, max_tokens=max_tokens))
            units, outcomes = 0, ()
            while not outcomes:
                outcomes = engine.step()
                units += 1
            assert units == encodes + outcomes[0].line.steps_done


def test_every_canvas_is_made_behind_all_that_came_before(bundle, mira, said, canvas_length):
    """A line of three canvases, put together by hand from the prompt and the parts of the runtime."""
    engine = ending_at(bundle, silent_token(bundle, said))
    _, reports = run(engine, AskRequest(mira, "Hello", seed=SEED, steps=STEPS, max_tokens=len(said)))
    defaults, geometry = bundle.manifest.generation, bundle.manifest.geometry
    settings = DenoiseSettings(
        vocab_size=geometry.vocab_size,
        hidden_size=geometry.hidden_size,
        eos_token_ids=frozenset(defaults.eos_token_ids),
        sampler=SAMPLERS[DEFAULT_SAMPLER],
        steps=STEPS,
        entropy_bound=defaults.entropy_bound,
        t_min=defaults.t_min,
        t_max=defaults.t_max,
        stability_threshold=defaults.stability_threshold,
        confidence_threshold=defaults.confidence_threshold,
    )
    rendered = bundle.tokenizer.encode(
        "<bos><|system>You are Mira, blacksmith of Oakvale.\nThe iron sword costs 40 gold.<turn|>"
        "<|user>Hello<turn|><|npc>",
        add_special_tokens=False,
    )
    session, tokens, fresh = StepSession(bundle), np.array(rendered.ids), np.array(rendered.ids)
    expected, prefix = [], None
    for index, length in enumerate((canvas_length, canvas_length, 3)):
        for start in range(0, len(fresh), PREFILL_CHUNK):
            prefix = session.encode(fresh[None, start : start + PREFILL_CHUNK], prefix)
        canvas = Canvas(settings, CanvasDraws(SEED, canvas=index), Clamp.none(length))
        while not canvas.finished:
            expected.append(denoise(canvas, partial(session.denoise, prefix=prefix)))
        fresh = canvas.argmax
        tokens = np.concatenate([tokens, fresh])
    assert [report.result.canvas.tolist() for report in reports] == [step.canvas.tolist() for step in expected]
    assert [report.result.argmax.tolist() for report in reports] == [step.argmax.tolist() for step in expected]
    assert tokens[-len(said) :].tolist() == said


class TestEmptyCanvas:
    def test_it_is_drawn_anew_with_other_draws(self, bundle, mira, said):
        engine = ending_at(bundle, said[0])
        line, reports = run(engine, AskRequest(mira, "Hello", seed=SEED, steps=STEPS, max_tokens=4))
        tries = {report.reroll: report.result.canvas.tolist() for report in reversed(reports)}
        assert line.rerolls == max(tries) >= 1
        assert len({tuple(canvas) for canvas in tries.values()}) == len(tries)
        assert line.steps_done == len(reports)

    def test_after_three_times_it_is_a_fallback_that_says_so(self, bundle, mira):
        engine = ending_at(bundle, *range(bundle.manifest.geometry.vocab_size))
        line, reports = run(engine, AskRequest(mira, "Hello", seed=SEED, steps=STEPS))
        assert (line.source, line.finish_reason, line.rerolls, line.tokens) == ("fallback", "empty", 3, 0)
        assert line.text in NEUTRAL_LINES
        assert {report.reroll for report in reports} == {0, 1, 2, 3}
        assert {report.canvas for report in reports} == {0}


@pytest.fixture(scope="module")
def questions(mira, canvas_length):
    asked = (("Hello", 1), ("What do you sell?", 2), ("Hello", 3), ("Where is Ravenford?", 1))
    return [AskRequest(mira, text, seed, 2, canvas_length + 2) for text, seed in asked]


@pytest.fixture(scope="module")
def alone(bundle, questions):
    """What each question gives in a session of its own."""
    return [result(*run(Engine(bundle), request)) for request in questions]


class TestDeterminism:
    def test_seeds_and_texts_matter(self, alone):
        assert len({tokens for _, tokens in alone}) == len(alone)

    def test_a_fresh_session_gives_the_same(self, bundle, questions, alone):
        assert [result(*run(Engine(bundle), request)) for request in questions] == alone

    @pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 3, 0, 2), (0, 0, 2, 0)])
    def test_what_was_asked_before_does_not_matter(self, bundle, questions, alone, order):
        engine = Engine(bundle)
        for index in order:
            assert result(*run(engine, questions[index])) == alone[index]

    @pytest.mark.parametrize("pattern", [(0, 1, 2, 3), (0, 0, 1, 3, 2, 2, 2), (3, 1)])
    def test_neither_does_what_runs_in_between(self, bundle, questions, alone, pattern):
        engine = Engine(bundle)
        engine._scheduler = engine._planner._scheduler = TurnByTurn(itertools.cycle(pattern))
        reports = {}
        for request in questions:
            mine = []
            reports[engine.submit(request, mine.append)] = mine
        lines = {}
        while not engine.idle:
            lines |= {outcome.job_id: outcome.line for outcome in engine.step()}
        assert [result(lines[job_id], mine) for job_id, mine in reports.items()] == alone

    def test_the_number_of_threads_does_not_matter(self, bundle, questions, alone):
        engine = Engine(bundle, threads=2)
        assert [result(*run(engine, request)) for request in questions] == alone

    def test_seeds_are_random_unless_given_and_always_told(self, bundle, mira):
        engine = Engine(bundle)
        request = AskRequest(mira, "Hello", steps=2, max_tokens=6)
        lines = [run(engine, request)[0] for _ in range(3)]
        assert len({line.seed for line in lines}) == 3
        assert all(0 <= line.seed < 2**53 for line in lines)
        again, _ = run(engine, replace(request, seed=lines[0].seed))
        assert again.text == lines[0].text


class TurnByTurn(Scheduler):
    """Gives its jobs their turns in a given order, whoever speaks."""

    def __init__(self, turns):
        super().__init__()
        self.turns = turns

    def next(self, now_s, unit_cost_s):
        tickets = list(self)
        return Run(tickets[next(self.turns) % len(tickets)].job_id) if tickets else None


def result(line, reports):
    return line.text, tuple(tokens_of(reports))


class TestJobs:
    def test_one_step_runs_one_unit_and_an_idle_engine_none(self, bundle, mira):
        engine = Engine(bundle)
        assert engine.idle and engine.step() == ()
        reports = []
        engine.submit(AskRequest(mira, "Hello", SEED, 2, 4), reports.append)
        counts = []
        while not engine.idle:
            engine.step()
            counts.append(len(reports))
        chunks = prompt_chunks(engine, mira)
        assert counts[: chunks + 2] == [0] * chunks + [1, 2]
        assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(counts))

    def test_first_come_is_first_served(self, bundle, mira):
        engine = Engine(bundle)
        ids = [engine.submit(AskRequest(mira, "Hello", seed, 1, 2)) for seed in range(3)]
        ended = []
        while not engine.idle:
            ended += [outcome.job_id for outcome in engine.step()]
        assert ended == ids

    def test_a_cancelled_job_has_no_outcome_and_the_others_go_on(self, bundle, mira):
        engine = Engine(bundle)
        first, second = (engine.submit(AskRequest(mira, "Hello", seed, 2, 4)) for seed in (1, 2))
        engine.step()
        assert engine.cancel(first)
        assert not engine.cancel(first)
        outcomes = []
        while not engine.idle:
            outcomes += engine.step()
        assert [(type(outcome), outcome.job_id) for outcome in outcomes] == [(Finished, second)]
        assert not engine.cancel(second)

    def test_a_job_may_be_cancelled_by_its_own_step(self, bundle, mira):
        engine = Engine(bundle)
        engine.submit(AskRequest(mira, "Hello", SEED, 5, 4), lambda report: engine.cancel(report.job_id))
        for _ in range(prompt_chunks(engine, mira) + 1):
            assert not engine.idle
            assert engine.step() == ()
        assert engine.idle

    @pytest.mark.parametrize("steps", [1, 5])
    def test_an_error_in_on_step_comes_out_and_ends_its_job_only(self, bundle, mira, steps):
        engine = Engine(bundle)

        def complain(report):
            raise LookupError("no such widget")

        engine.submit(AskRequest(mira, "Hello", SEED, steps, 4), complain)
        second = engine.submit(AskRequest(mira, "Hello", SEED, 1, 4))
        for _ in range(prompt_chunks(engine, mira)):
            engine.step()
        with pytest.raises(LookupError, match="no such widget"):
            engine.step()
        outcomes = []
        while not engine.idle:
            outcomes += engine.step()
        assert [outcome.job_id for outcome in outcomes] == [second]

    def test_a_model_error_in_one_job_does_not_harm_another(self, bundle, mira):
        tokenizer = load_bundle(bundle.path).tokenizer
        fillers = [f"filler{index}" for index in range(bundle.manifest.geometry.vocab_size)]
        tokenizer.add_tokens([*fillers, "Xyzzy"])
        engine = Engine(replace(bundle, tokenizer=tokenizer))
        good, bad, also_good = (
            engine.submit(AskRequest(mira, text, SEED, 2, 4)) for text in ("Hello", "Xyzzy", "Hello")
        )
        outcomes = {}
        while not engine.idle:
            outcomes |= {outcome.job_id: outcome for outcome in engine.step()}
        assert isinstance(outcomes[bad], Failed) and isinstance(outcomes[bad].error, ModelError)
        assert outcomes[good].line.text == outcomes[also_good].line.text

    def test_a_defect_is_an_outcome_too(self, bundle, mira, caplog):
        engine = Engine(bundle)
        engine._compute.session = None
        job_id = engine.submit(AskRequest(mira, "Hello"))
        (outcome,) = engine.step()
        assert (outcome.job_id, outcome.error.code) == (job_id, "internal")
        assert engine.idle
        assert "job 1 failed" in caplog.text

    def test_times_are_those_of_the_clock(self, bundle, mira):
        seconds = itertools.count()
        engine = Engine(bundle, clock=lambda: float(next(seconds)), prefix_cache_mb=0)
        for _ in range(2):
            engine.submit(AskRequest(mira, "Hello", SEED, 1, 1))
        lines = []
        while not engine.idle:
            lines += [outcome.line for outcome in engine.step()]
        # Two submissions, from 0 to 1 and from 2 to 3; a unit reads the clock before, behind, and when all is out.
        chunks, rerolled = prompt_chunks(engine, mira), lines[0].rerolls
        assert [line.timings.encode_ms for line in lines] == [1000.0 * chunks] * 2
        assert [line.timings.denoise_ms for line in lines] == [1000.0 * (1 + rerolled)] * 2
        assert [line.timings.compute_ms for line in lines] == [1000.0 * (chunks + 1 + rerolled)] * 2
        units = chunks + 1 + rerolled
        assert [line.timings.queue_ms for line in lines] == [4000.0, 3000.0 * units + 3000.0]
        # The end of a job reads it once more, before the last.
        assert lines[0].timings.total_ms == 3000.0 * units + 3000.0


class TestPrompt:
    def test_a_prompt_that_does_not_fit_is_refused_with_the_limits(self, bundle, mira):
        geometry = replace(bundle.manifest.geometry, max_positions=bundle.manifest.geometry.canvas_length + 10)
        engine = Engine(bundle)
        engine.bundle = replace(bundle, manifest=replace(bundle.manifest, geometry=geometry))
        with pytest.raises(RequestError, match=r"at most 10 fit this model \(\d+ positions less a canvas of") as caught:
            engine.submit(AskRequest(mira, "Hello there, good woman of the forge!"))
        assert caught.value.code == "prompt-too-long"
        assert engine.idle

    def test_history_is_part_of_the_prompt(self, bundle, mira):
        engine = Engine(bundle)
        request = AskRequest(mira, "Hello", SEED, 1, 8)
        before, _ = run(engine, request)
        after = [
            run(engine, replace(request, history=(("Hi", word),)))[1][0].result.entropy for word in ("Aye.", "No.")
        ]
        assert not np.array_equal(after[0], after[1])
        assert run(engine, request)[0].text == before.text
