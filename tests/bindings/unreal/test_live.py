"""A game in C++ with a real sidecar on the pocket model."""

import json
import os
import signal
import time

import pytest

from tests.bindings.unreal.programs import run
from tests.bindings.unreal.puppet import DISCONNECTED, FAILED, READY, RUNNING, SMITH
from tests.bindings.unreal.sidecars import ends, is_running, serving, start_command
from tools.conversation import hold_conversation

LONG = {"steps": 1000, "max_tokens": 4000, "unrecorded": True}
SHORT = {"steps": 4, "max_tokens": 12}


@pytest.fixture(scope="module")
def port():
    with serving("hush") as bound:
        yield bound


@pytest.fixture
def game(puppet, port):
    started = puppet()
    started.connect(port, "hush")
    return started


def test_a_line_comes_with_drafts_and_the_same_seed_gives_the_same(game):
    first = game.say("What do you sell?", seed=7, draft_every_ms=0, unrecorded=True, **SHORT)
    drafts = [told["steps_done"] for told in game.events if told["event"] == "draft"]
    assert first["source"] == "model" and first["seed"] == 7
    assert drafts and drafts == sorted(drafts)
    assert game.say("What do you sell?", seed=7, unrecorded=True, **SHORT)["text"] == first["text"]
    game.do("report")
    assert game.wait("report")["lines_model"] >= 2


def test_a_cancelled_ask_makes_room_at_once(game):
    ask = game.ask("Tell me everything", draft_every_ms=0, **LONG)
    game.wait("draft", ask=ask)
    game.do("cancel", ask=ask)
    game.wait("cancelled", ask=ask)
    assert game.say("Hello", unrecorded=True, **SHORT)["source"] == "model"
    assert not any(told["event"] == "line" and told["ask"] == ask for told in game.events)


def test_compute_happens_inside_the_budget_of_the_frames(game):
    game.do("tick", budget_ms=0)
    ask = game.ask("Hello", unrecorded=True, **SHORT)
    with pytest.raises(AssertionError, match="it did not happen"):
        game.wait("line", limit_s=0.3, ask=ask)
    game.do("tick", budget_ms=4)
    assert game.wait("line", ask=ask)["source"] == "model"
    game.do("budget", max_load=1.0, fps=60.0)
    assert game.say("Hello", unrecorded=True, **SHORT)["source"] == "model"


def test_a_loaded_conversation_goes_on_as_it_did(game):
    game.say("What does the iron sword cost?", seed=1, **SHORT)
    saved = game.save()
    assert "iron sword" in saved
    went_on = game.say("And the shield?", seed=2, **SHORT)["text"]
    longer = game.save()
    assert longer != saved
    game.do("load", npc="smith", data=saved)
    assert game.wait("loaded")["code"] == ""
    assert game.save() == saved
    assert game.say("And the shield?", seed=2, **SHORT)["text"] == went_on
    assert game.save() == longer


def test_pinned_words_choices_and_prompts_come_from_the_model(game):
    pinned = game.say(
        "What does the sword cost?", template="Aye, {*2-6} for [40] gold.", escape=1, unrecorded=True, **SHORT
    )
    assert pinned["source"] in ("model", "draft")
    assert pinned["text"].startswith("Aye, ") and pinned["text"].endswith(" for [40] gold.")
    game.do("choose", npc="smith", text="What does the iron sword cost?", options=["40 gold.", "Good night."])
    choice = game.wait("choice", ask=int(game.wait("asked")["ask"]))
    assert (choice["finish_reason"], choice["count"]) == ("stop", 2)
    game.do("world", time=["It is evening."], prices=[])
    game.do("prompt", npc="smith", text="Hello")
    prompt = game.wait("prompt", ask=int(game.wait("asked")["ask"]))
    assert "It is evening." in prompt["text"] and prompt["tokens"] > 0
    game.do("world", time=[], prices=[])


def test_the_conversation_is_that_of_python(programs, port):
    said = run(programs.play, "conversation", str(port), PALAVER_SECRET="hush").splitlines()
    assert [json.loads(each) for each in said] == hold_conversation(port, "hush")


def test_two_games_on_one_sidecar_do_not_meet(puppet, port):
    one, other = puppet(), puppet()
    one.connect(port, "hush")
    other.connect(port, "hush", {**SMITH, "name": "Tilda", "role": "herbalist", "knowledge": []})
    first = one.ask("Tell me everything", **LONG)
    second = other.ask("Hello", seed=1, **SHORT)
    assert first == second
    other.do("cancel", ask=first)
    other.do("forget", npc="smith")
    one.do("cancel", ask=first)
    one.wait("cancelled", ask=first)
    assert one.say("Hello", seed=1, **SHORT)["source"] == "model"
    assert "Hello" in one.save()
    assert other.save() == ""


def test_a_wrong_secret_is_told_and_characters_still_answer(puppet, port):
    game = puppet()
    game.do("put", npc=SMITH)
    game.do("connect", port=port, secret="wrong")
    assert game.wait("problem")["code"] == "wrong-secret"
    told = game.say("Hello", deadline_ms=50)
    assert (told["source"], told["finish_reason"]) == ("fallback", "unreachable")


def test_a_killed_sidecar_comes_back_and_the_open_ask_ends_in_a_line(puppet, tmp_path):
    game = puppet()
    game.do("put", npc=SMITH)
    game.do("start", **start_command(tmp_path))
    first = game.wait("sidecar", state=RUNNING)
    game.wait("state", state=READY)
    before = game.say("Hello", seed=3, **SHORT)
    saved = game.save()
    ask = game.ask("What do you sell?", seed=4, draft_every_ms=0, steps=200, max_tokens=200)
    game.wait("draft", ask=ask)
    os.kill(first["pid"], signal.SIGKILL)
    game.wait("state", state=DISCONNECTED)
    told = game.wait("line", ask=ask)
    assert (told["source"], told["seed"]) == ("model", 4)
    assert before["text"] in saved and game.save().startswith(saved[:-2])
    second = next(each for each in reversed(game.events) if each["event"] == "sidecar")
    assert second["pid"] != first["pid"]

    # One that hangs is answered for as well, and none is left behind.
    os.kill(second["pid"], signal.SIGSTOP)
    told = game.say("Hello", deadline_ms=100)
    assert (told["source"], told["finish_reason"]) == ("fallback", "timeout")
    os.kill(second["pid"], signal.SIGCONT)
    game.do("stop", grace_ms=5000)
    game.wait("stopped")
    assert not is_running(second["pid"])


@pytest.mark.parametrize("how", ["kill", "close"])
def test_no_sidecar_outlives_its_game(puppet, tmp_path, how):
    game = puppet()
    game.do("start", **start_command(tmp_path))
    pid = game.wait("sidecar", state=RUNNING)["pid"]
    assert is_running(pid)
    getattr(game, how)()
    assert ends(pid)
    assert not list(tmp_path.glob("ready*"))


def test_a_sidecar_that_cannot_run_is_told_with_its_own_words(puppet, tmp_path):
    game = puppet()
    command = start_command(tmp_path)
    command["arguments"] += ["--threads", "none"]
    game.do("start", **command)
    assert "--threads" in game.wait("sidecar", state=FAILED)["trouble"]


def test_nothing_is_computed_for_a_game_that_is_gone(puppet, port):
    game = puppet()
    game.connect(port, "hush")
    ask = game.ask("Tell me everything", draft_every_ms=0, **LONG)
    game.wait("draft", ask=ask)
    game.kill()
    other = puppet()
    other.connect(port, "hush")
    started_s = time.monotonic()
    assert other.say("Hello", unrecorded=True, **SHORT)["source"] == "model"
    assert time.monotonic() - started_s < 20.0
