"""Memory in process: what a conversation remembers, saves and loads is what a sidecar would."""

import json
import threading

import pytest

from runtime import Conversation, Npc, PalaverError, RequestError, World, load
from runtime.memory import Memory

MIRA = Npc("smith", "Mira", "blacksmith", knowledge=("The iron sword costs 40 gold.",))
PETRA = Npc("innkeeper", "Petra", "innkeeper")
EVENING = World.from_mapping({"time": ["It is evening."]})
SHORT = {"steps": 4, "max_tokens": 9}
LONGER = {"steps": 4, "max_tokens": 60}
LONG = {"seed": 1, "steps": 1000, "max_tokens": 2000, "sampler": "reference"}


@pytest.fixture(scope="module")
def palaver(patient_bundle):
    return load(patient_bundle)


@pytest.fixture
def mira(palaver):
    return Conversation(palaver, MIRA)


def test_what_was_said_is_the_history_of_the_next_question(palaver, mira):
    first = mira.ask("Hello", seed=1, **SHORT)
    second = mira.ask("And?", seed=2, **SHORT)
    assert mira.memory == Memory((("Hello", first.text), ("And?", second.text)))
    assert palaver.ask(MIRA, "And?", seed=2, history=[("Hello", first.text)], **SHORT).text == second.text
    assert palaver.ask(MIRA, "And?", seed=2, **SHORT).text != second.text


def test_what_shall_not_be_recorded_is_not(mira):
    mira.ask("Hello", record=False, seed=3, **SHORT)
    mira.choose("Well?", ["Aye.", "No."])
    assert mira.memory == Memory()


def test_a_fallback_line_is_not_remembered(mira):
    assert mira.ask("Hello", deadline_ms=1, **LONG).source == "fallback"
    assert mira.memory == Memory()


def test_summary_and_world_are_in_the_prompt(mira):
    mira.ask("Hello", seed=1, **SHORT)
    mira.set_summary("They met at the well.", keep=0)
    mira.world = EVENING
    text = mira.prompt("And?").text
    assert "Earlier: They met at the well." in text
    assert "It is evening." in text
    assert "Hello" not in text


def test_a_saved_conversation_goes_on_with_the_same_line(palaver, mira):
    mira.ask("Hello", seed=1, **SHORT)
    mira.set_summary("They met at the well.")
    saved = mira.save()
    told = mira.ask("And?", seed=5, **SHORT)
    assert told.text == mira.memory.turns[-1][1]
    another = Conversation(palaver, MIRA)
    another.load(saved)
    assert another.ask("And?", seed=5, **SHORT).text == told.text
    assert another.memory == mira.memory


def test_a_save_that_cannot_be_used_changes_nothing(palaver, mira):
    mira.ask("Hello", seed=1, **SHORT)
    saved = mira.save()
    for data, code in (
        ("{}", "bad-save"),
        (json.dumps({"palaver_save": 3}), "save-version"),
        (Conversation(palaver, PETRA).save(), "unknown-npc"),
    ):
        with pytest.raises(RequestError) as caught:
            mira.load(data)
        assert caught.value.code == code
        assert mira.save() == saved


def test_a_load_cancels_the_question_in_flight_and_nothing_of_it_is_remembered(mira):
    saved = mira.save()
    began, ends = threading.Event(), []

    def ask():
        try:
            mira.ask("Hello", on_step=lambda report: began.set(), **LONG)
        except PalaverError as error:
            ends.append(error.code)

    asking = threading.Thread(target=ask)
    asking.start()
    assert began.wait(60.0)
    mira.load(saved)
    asking.join(60.0)
    assert ends == ["cancelled"]
    assert mira.memory == Memory()
    assert mira.ask("Hello", seed=1, **SHORT).source == "model"


def test_a_load_cancels_a_choice_in_flight(palaver, mira, monkeypatch):
    saved, step = mira.save(), palaver.engine.step

    def step_while_the_game_loads():
        mira.load(saved)
        return step()

    with monkeypatch.context() as patch:
        patch.setattr(palaver.engine, "step", step_while_the_game_loads)
        with pytest.raises(PalaverError) as caught:
            mira.choose("Well?", ["Aye.", "No."])
    assert caught.value.code == "cancelled"
    assert palaver.engine.idle
    assert mira.choose("Well?", ["Aye.", "No."]).source == "model"


def test_the_world_may_be_plain_data(mira):
    mira.world = EVENING.to_mapping()
    assert "It is evening." in mira.prompt("And?").text
    assert mira.ask("And?", seed=1, **SHORT).text


def test_two_characters_of_one_model_know_nothing_of_each_other(palaver):
    mira, petra = Conversation(palaver, MIRA), Conversation(palaver, PETRA)
    mira.world = EVENING
    alone = [Conversation(palaver, npc) for npc in (MIRA, PETRA)]
    for number in range(3):
        for conversation in (mira, petra):
            conversation.ask(f"Question {number}", seed=number, **LONGER)
    alone[0].world = EVENING
    for conversation in alone:
        for number in range(3):
            conversation.ask(f"Question {number}", seed=number, **LONGER)
    assert [mira.memory, petra.memory] == [conversation.memory for conversation in alone]
    assert mira.memory != petra.memory


def test_turns_that_no_longer_fit_are_told_by_the_summariser(palaver):
    told = []

    def tell(summary, turns):
        told.append((summary, len(turns)))
        return f"{summary} They spoke {len(turns)} times.".strip()

    mira = Conversation(palaver, MIRA, tell)
    long = "word " * 30
    lines = [mira.ask(f"{number} {long}", seed=number, **SHORT) for number in range(12)]
    assert told and told[0][0] == ""
    assert told[-1][0] in mira.memory.summary
    said = sum(line.source != "fallback" for line in lines)
    assert sum(count for _, count in told) + len(mira.memory.turns) == said


@pytest.mark.parametrize("given", [{"history": []}, {"summary": "x"}, {"world": EVENING}])
def test_what_a_conversation_knows_by_itself_is_refused(mira, given):
    with pytest.raises(RequestError, match="has its own"):
        mira.ask("Hello", **given)


@pytest.mark.parametrize(("text", "keep"), [("x" * 4001, 4), ("They met.", 17), ("They met.", -1), (None, 4)])
def test_a_summary_has_its_limits(mira, text, keep):
    with pytest.raises(RequestError):
        mira.set_summary(text, keep)
