from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime import AskRequest, Engine, Palaver, RequestError, StudioFilters, load
from runtime.bundle import load_bundle


@pytest.fixture(scope="module")
def palaver(tiny_bundle):
    return load(tiny_bundle)


def test_a_question_gives_a_line(palaver, mira):
    line = palaver.ask(mira, "Hello", seed=5, steps=2, max_tokens=6)
    assert isinstance(palaver, Palaver)
    assert line.seed == 5 and line.tokens <= 6
    assert set(line.to_mapping()) == {
        "text",
        "source",
        "finish_reason",
        "seed",
        "steps_planned",
        "steps_done",
        "canvases",
        "tokens",
        "rerolls",
        "confidence",
        "deterministic",
        "directions",
        "action",
        "plain_text",
        "timings",
    }
    assert set(line.to_mapping()["timings"]) == {"queue_ms", "encode_ms", "denoise_ms", "compute_ms", "total_ms"}


def test_history_may_be_any_sequence_of_pairs(palaver, mira):
    assert palaver.ask(mira, "And now?", seed=1, steps=1, max_tokens=4, history=[["Hi", "Aye."]]).seed == 1


def test_on_step_sees_every_step(palaver, mira):
    reports = []
    line = palaver.ask(mira, "Hello", seed=5, steps=3, max_tokens=6, on_step=reports.append)
    assert len(reports) == line.steps_done
    assert reports[0].result.step == 3


def test_a_deadline_is_kept_and_its_line_can_be_made_again(palaver, mira):
    line = palaver.ask(mira, "Hello", seed=5, sampler="reference", steps=1000, max_tokens=4096, deadline_ms=20)
    assert line.finish_reason == "deadline"
    again = palaver.ask(
        mira,
        "Hello",
        seed=5,
        sampler="reference",
        steps=line.steps_planned or 1,
        max_tokens=4096,
        stop_after_steps=line.steps_done or 1,
    )
    assert (again.text == line.text) or line.source == "fallback"


def test_drafts_are_told_and_a_pace_is_kept(tiny_bundle, mira):
    paced, drafts = load(tiny_bundle), []
    paced.engine.pace(0.5)
    line = paced.ask(mira, "Hello", seed=5, steps=6, max_tokens=9, on_draft=drafts.append)
    assert [draft.steps_planned for draft in drafts] == [6] * len(drafts) and drafts
    assert line.timings.compute_ms < 0.8 * line.timings.total_ms


def test_a_choice_is_one_of_the_answers(palaver, mira):
    choice = palaver.choose(mira, "Hello", ["Aye.", "Nay."], deadline_ms=60_000)
    assert choice.index in (0, 1) and choice.source == "model"
    with pytest.raises(RequestError, match="options has 1 answers"):
        palaver.choose(mira, "Hello", ["Aye."])
    assert palaver.engine.idle


def test_filters_and_the_length_of_prompts_are_told_when_a_model_is_loaded(tiny_bundle, mira):
    def loud(text, npc):
        return f"{npc.name} shouts!"

    filtered = load(tiny_bundle, filters=StudioFilters((loud,)), prompt_tokens=64, prefix_cache_mb=0)
    assert filtered.ask(mira, "Hello", seed=5, steps=2, max_tokens=6).text == "Mira shouts!"
    assert len(filtered.engine.prompt(AskRequest(mira, "word " * 100)).ids) <= 64


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"prompt_tokens": 5}, "prompt_tokens is 5, out of range"),
        ({"prefix_cache_mb": -1}, "prefix_cache_mb is -1, out of range"),
        ({"filters": [str.upper]}, "filters must be StudioFilters, not list"),
    ],
)
def test_a_model_is_not_loaded_with_wrong_options(tiny_bundle, options, complaint):
    with pytest.raises(RequestError, match=complaint):
        load(tiny_bundle, **options)


@pytest.mark.parametrize("ask", [Palaver.ask, Palaver.choose])
def test_a_question_may_be_ended_before_each_unit(palaver, mira, ask):
    units = []

    def end():
        units.append(palaver.engine.idle)
        if len(units) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(palaver, mira, "Hello", *([["Aye.", "Nay."]] if ask is Palaver.choose else []), on_unit=end)
    assert units == [False, False]
    assert palaver.engine.idle


def test_bad_requests_are_refused_and_leave_nothing_behind(palaver, mira):
    with pytest.raises(RequestError, match="steps is 0"):
        palaver.ask(mira, "Hello", steps=0)
    with pytest.raises(RequestError, match="history must be a list of turns, not int"):
        palaver.ask(mira, "Hello", history=3)
    assert palaver.engine.idle


def test_an_error_in_on_step_leaves_the_next_question_alone(palaver, mira):
    def interrupt(report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        palaver.ask(mira, "Hello", seed=1, steps=5, max_tokens=6, on_step=interrupt)
    assert palaver.engine.idle


def test_ctrl_c_in_the_middle_of_a_step_leaves_nothing_behind(tiny_bundle, mira):
    times = iter([0.0, 1.0])

    def clock():
        try:
            return next(times)
        except StopIteration:
            raise KeyboardInterrupt from None

    palaver = Palaver(Engine(load_bundle(tiny_bundle), clock=clock))
    with pytest.raises(KeyboardInterrupt):
        palaver.ask(mira, "Hello")
    assert palaver.engine.idle


def test_threads_take_turns_and_get_their_own_lines(palaver, mira):
    def ask(seed):
        line = palaver.ask(mira, "Hello", seed=seed, steps=2, max_tokens=6)
        return line.seed, line.text

    alone = [ask(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(8))) == alone
