"""World, summaries, choices and prompts over the wire; nothing gets from one character or client to another."""

import json

import pytest

from runtime.client import PalaverClient, start_sidecar
from runtime.npc import Npc

MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith", "knowledge": ["The iron sword costs 40 gold."]}
PETRA = {"id": "innkeeper", "name": "Petra", "role": "innkeeper", "fallbacks": ["Sit down first."]}
ASK = {"type": "ask", "npc": "smith", "text": "What do you sell?", "steps": 4, "max_tokens": 60}
LONG_ASK = ASK | {"steps": 1000, "max_tokens": 2000, "sampler": "reference"}
PROMPT = {"type": "prompt.get", "npc": "smith", "text": "Well?"}
CHOOSE = {"type": "choose", "npc": "smith", "text": "Will you?", "options": ["Aye.", "No.", "Ask Petra."]}
EVENING = {"time": ["It is evening."], "prices": {"facts": ["Bread costs 2 gold."], "budget_tokens": 40}}
SUMMARY = {"type": "npc.summary", "id": "smith", "text": "They met at the well.", "keep": 1}

SUMMARISER = """
def tell(summary, turns):
    return f"{summary} They spoke {len(turns)} times.".strip()
"""


@pytest.fixture(scope="module")
def sidecar(patient_bundle):
    with start_sidecar(patient_bundle, secret="") as started, PalaverClient(started) as client:
        # A prompt cannot be had before the model is there; a line waits for it.
        client.ask(Npc("smith", "Mira", "blacksmith"), "Hello", steps=1, max_tokens=1)
        yield started


@pytest.fixture
def talker(connect, sidecar):
    return connect(sidecar.port).hello().put(MIRA)


def saved(talker, npc_id="smith"):
    return json.loads(talker.asks({"type": "npc.save", "request": 90, "id": npc_id})["data"])


def load(talker, **memory):
    data = json.dumps({"palaver_save": 2, "npc": "smith", "summary": "", "turns": []} | memory)
    assert talker.asks({"type": "npc.load", "request": 91, "data": data})["type"] == "ok"


def done(talker, message):
    assert talker.asks(message | {"request": 92}) == {"type": "ok", "request": 92}


def prompt_of(talker, **fields):
    reply = talker.asks(PROMPT | {"request": 93} | fields)
    assert (reply["type"], reply["request"]) == ("prompt", 93)
    return reply


def test_a_prompt_has_everything_that_is_known_of_a_character(talker):
    load(talker, summary="They met at the well.", turns=[["Hello", "Aye."]])
    done(talker, {"type": "world.put", "world": EVENING})
    known = prompt_of(talker)
    for part in ("Mira", "40 gold", "It is evening.", "Bread costs 2 gold.", "at the well", "Hello", "Aye.", "Well?"):
        assert part in known["text"], part
    assert known["tokens"] > 40 and known["dropped"] == []
    history, summary = [["Hello", "Aye."]], "They met at the well."
    assert prompt_of(talker, npc=MIRA, history=history, summary=summary, world=EVENING) == known
    assert "evening" not in prompt_of(talker, npc=MIRA)["text"]


def test_what_did_not_fit_into_a_prompt_is_told(talker):
    talker.put(MIRA | {"knowledge": [f"Fact {number} is long. " * 20 for number in range(40)]})
    reply = prompt_of(talker)
    assert len(reply["dropped"]) > 20
    assert all(part.startswith("knowledge: Fact") for part in reply["dropped"])


def test_the_world_replaces_the_one_before_and_may_be_empty(talker):
    done(talker, {"type": "world.put", "world": EVENING})
    done(talker, {"type": "world.put", "world": {"time": ["It is noon."]}})
    text = prompt_of(talker)["text"]
    assert "noon" in text and "evening" not in text and "Bread" not in text
    done(talker, {"type": "world.put", "world": {}})
    assert "noon" not in prompt_of(talker)["text"]


def test_the_world_changes_the_lines(talker):
    def lines(**told):
        return [talker.asks(ASK | {"request": 2, "seed": seed, "record": False} | told)["text"] for seed in range(8)]

    before = lines()
    done(talker, {"type": "world.put", "world": EVENING})
    assert lines() == lines(npc=MIRA, world=EVENING) != before


def test_a_summary_stands_for_the_turns_before_the_last_ones(talker):
    load(talker, turns=[["Hello", "Aye."], ["And?", "Iron."], ["Well?", "No."]])
    done(talker, SUMMARY)
    assert (saved(talker)["summary"], saved(talker)["turns"]) == ("They met at the well.", [["Well?", "No."]])
    done(talker, SUMMARY | {"text": ""})
    assert (saved(talker)["summary"], saved(talker)["turns"]) == ("", [["Well?", "No."]])
    assert talker.asks(SUMMARY | {"request": 5, "id": "nobody"})["code"] == "unknown-npc"


def test_a_save_of_the_first_version_is_loaded(talker):
    load(talker, summary="They met.")
    data = json.dumps({"palaver_save": 1, "npc": "smith", "turns": [["Hello", "Aye."]]})
    done(talker, {"type": "npc.load", "data": data})
    assert (saved(talker)["summary"], saved(talker)["turns"]) == ("", [["Hello", "Aye."]])


def test_a_persona_is_never_in_a_save(talker):
    talker.asks(ASK | {"request": 2})
    text = json.dumps(saved(talker))
    assert "Mira" not in text and "blacksmith" not in text


def test_a_choice_sees_what_is_known_and_remembers_nothing(talker):
    load(talker, summary="They met.", turns=[["Hello", "Aye."]])
    done(talker, {"type": "world.put", "world": EVENING})
    before = saved(talker)
    choice = talker.asks(CHOOSE | {"request": 2})
    assert list(choice) == ["type", "request", "index", "probabilities", "source", "finish_reason", "timings"]
    assert (choice["type"], choice["source"], choice["finish_reason"]) == ("choice", "model", "stop")
    assert sum(choice["probabilities"]) == pytest.approx(1.0)
    assert choice["index"] == choice["probabilities"].index(max(choice["probabilities"]))
    told = {"npc": MIRA, "history": [["Hello", "Aye."]], "summary": "They met.", "world": EVENING}
    whole = talker.asks(CHOOSE | told | {"request": 3})
    assert whole["probabilities"] == choice["probabilities"]
    assert whole["probabilities"] != talker.asks(CHOOSE | {"request": 4, "npc": MIRA})["probabilities"]
    assert saved(talker) == before


def test_a_choice_waits_for_the_line_before_it_and_the_line_after_it_for_the_choice(talker):
    talker.say(ASK | {"request": 2, "seed": 1})
    talker.say(CHOOSE | {"request": 3})
    talker.say(ASK | {"request": 4, "seed": 2})
    line, choice, after = (talker.hear() for _ in range(3))
    assert [reply["type"] for reply in (line, choice, after)] == ["line", "choice", "line"]
    told = talker.asks(CHOOSE | {"request": 5, "npc": MIRA, "history": [[ASK["text"], line["text"]]]})
    assert choice["probabilities"] == told["probabilities"]


def test_a_choice_that_is_cancelled_ends_with_an_error(talker):
    talker.say(LONG_ASK | {"request": 2})
    talker.say(CHOOSE | {"request": 3})
    assert talker.asks(CHOOSE | {"request": 3})["request"] is None
    talker.say({"type": "cancel", "request": 4, "target": 3})
    assert [talker.hear() for _ in range(2)][1]["code"] == "cancelled"
    talker.say(CHOOSE | {"request": 5})
    load(talker)
    ends = [talker.hear() for _ in range(2)]
    assert [(end["request"], end["code"]) for end in ends] == [(2, "cancelled"), (5, "cancelled")]


def test_a_choice_whose_deadline_passes_while_it_waits_is_the_first_option(talker):
    talker.say(LONG_ASK | {"request": 2})
    choice = talker.asks(CHOOSE | {"request": 3, "deadline_ms": 20})
    assert (choice["index"], choice["source"], choice["finish_reason"]) == (0, "fallback", "deadline")
    assert choice["probabilities"] == [1 / 3] * 3
    assert choice["timings"]["total_ms"] >= 20.0
    assert talker.asks({"type": "cancel", "request": 4, "target": 2})["found"]


def test_a_template_and_a_situation_hold_in_a_line_that_never_began(talker):
    talker.put(MIRA | {"situations": {"busy": ["Not now!"]}})
    talker.say(LONG_ASK | {"request": 2})
    late = ASK | {"deadline_ms": 1}
    line = talker.asks(late | {"request": 3, "situation": "busy", "must_include": ["40 gold"]})
    assert (line["source"], line["text"]) == ("fallback", "Not now! 40 gold.")
    line = talker.asks(late | {"request": 4, "template": "Bring me {*=some pelts} by {*}."})
    assert (line["source"], line["text"]) == ("fallback", "Bring me some pelts by ...")
    assert talker.asks({"type": "cancel", "request": 5, "target": 2})["found"]


def test_what_is_remembered_of_an_escaped_line_is_its_plain_text(talker):
    line = talker.asks(ASK | {"request": 2, "escape": "bbcode", "template": "{*} [b]{*}", "seed": 3})
    assert line["source"] == "model"
    assert saved(talker)["turns"] == [[ASK["text"], line.get("plain_text", line["text"])]]


def test_ten_characters_of_two_clients_are_each_as_if_they_were_alone(connect):
    """Lines, memories, worlds: whoever else is asked at the same time, with the same ids, changes nothing."""
    ids = [f"guest {number}" for number in range(5)]
    worlds = [EVENING, {"time": ["It is noon."]}]
    questions = ["What does the bread cost?", "And what time is it?"]

    def npc_of(number, npc_id):
        price = 10 * number + int(npc_id[-1]) + 2
        return {"id": npc_id, "name": "Petra", "role": "baker", "knowledge": [f"The bread costs {price} gold."]}

    with start_sidecar(secret="") as sidecar:
        clients = [connect(sidecar.port).hello() for _ in worlds]
        together = {}
        for number, client in enumerate(clients):
            done(client, {"type": "world.put", "world": worlds[number]})
            for npc_id in ids:
                client.put(npc_of(number, npc_id))
        for seed, text in enumerate(questions):
            for client in clients:
                for request, npc_id in enumerate(ids):
                    client.say({"type": "ask", "request": request, "npc": npc_id, "text": text, "seed": seed})
            for number, client in enumerate(clients):
                for _ in ids:
                    line = client.hear()
                    together.setdefault((number, ids[line["request"]]), []).append((line["text"], line["source"]))
        assert len({lines[0] for lines in together.values()}) > 5
        for (number, npc_id), lines in together.items():
            alone, history = connect(sidecar.port).hello(), []
            for seed, (text, (told, source)) in enumerate(zip(questions, lines, strict=True)):
                known = {"npc": npc_of(number, npc_id), "world": worlds[number], "history": history, "seed": seed}
                line = alone.asks({"type": "ask", "request": 2, "text": text} | known)
                assert (line["text"], line["source"]) == (told, source)
                history += [[text, told]] if source != "fallback" else []
            assert saved(clients[number], npc_id)["turns"] == history


def test_a_summariser_tells_turns_that_no_longer_fit_and_the_client_is_told(
    patient_bundle, connect, tmp_path, monkeypatch
):
    (tmp_path / "village_tales.py").write_text(SUMMARISER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    arguments = ("--summariser", "village_tales:tell", "--prompt-tokens", "128")
    with start_sidecar(patient_bundle, secret="", arguments=arguments) as sidecar:
        talker = connect(sidecar.port).hello().put(MIRA)
        load(talker, turns=[[f"Question {number}?", "Iron and more iron."] for number in range(9)])
        talker.say(ASK | {"request": 2, "seed": 5})
        told, line = talker.hear(), talker.hear()
        assert list(told) == ["type", "request", "id", "text", "keep"]
        assert (told["type"], told["request"], told["id"]) == ("summary", 2, "smith")
        assert told["text"] == f"They spoke {9 - told['keep']} times."
        assert 0 < told["keep"] <= 4
        after = saved(talker)
        assert (after["summary"], len(after["turns"])) == (told["text"], told["keep"] + 1)
        # From the save of before, the same happens again.
        load(talker, turns=[[f"Question {number}?", "Iron and more iron."] for number in range(9)])
        talker.say(ASK | {"request": 3, "seed": 5})
        assert talker.hear()["text"] == told["text"]
        assert talker.hear()["text"] == line["text"]
