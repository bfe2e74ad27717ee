"""Characters that the sidecar knows by their id: what it remembers of them, saves, loads and forgets."""

import json

import pytest

from runtime.client import start_sidecar
from runtime.messages import Ask
from runtime.wire import encode

MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith", "knowledge": ["The iron sword costs 40 gold."]}
PETRA = {"id": "innkeeper", "name": "Petra", "role": "innkeeper", "fallbacks": ["Sit down first."]}
ASK = {"type": "ask", "npc": "smith", "text": "What do you sell?", "steps": 4, "max_tokens": 9}
LONG_ASK = ASK | {"steps": 1000, "max_tokens": 2000, "sampler": "reference"}


@pytest.fixture(scope="module")
def sidecar(patient_bundle):
    with start_sidecar(patient_bundle, secret="") as started:
        yield started


@pytest.fixture
def talker(connect, sidecar):
    return connect(sidecar.port).hello().put(MIRA)


def turns_of(talker, npc_id="smith"):
    saved = talker.asks({"type": "npc.save", "request": 90, "id": npc_id})
    assert (saved["type"], saved["request"], saved["id"]) == ("saved", 90, npc_id)
    data = json.loads(saved["data"])
    assert (data["palaver_save"], data["npc"]) == (2, npc_id)
    return data["turns"]


def load_turns(talker, turns, npc_id="smith"):
    data = json.dumps({"palaver_save": 1, "npc": npc_id, "turns": turns})
    return talker.asks({"type": "npc.load", "request": 91, "data": data})


def test_what_was_put_can_be_got_and_replaced(talker):
    assert talker.asks({"type": "npc.get", "request": 2, "id": "smith"}) == {"type": "npc", "request": 2, "npc": MIRA}
    talker.put(MIRA | {"mood": "tired"})
    assert talker.asks({"type": "npc.get", "request": 3, "id": "smith"})["npc"]["mood"] == "tired"


def test_a_character_remembers_what_was_said_and_a_new_persona_changes_nothing_about_that(talker):
    first = talker.asks(ASK | {"request": 2, "seed": 1})
    second = talker.asks(ASK | {"request": 3, "seed": 2, "text": "And what does it cost?"})
    talker.put(MIRA | {"mood": "happy"})
    assert turns_of(talker) == [[ASK["text"], first["text"]], ["And what does it cost?", second["text"]]]


def test_the_remembered_turns_are_the_history_of_the_next_ask(talker):
    first = talker.asks(ASK | {"request": 2, "seed": 1})
    known = talker.asks(ASK | {"request": 3, "seed": 2})
    whole = talker.asks(ASK | {"request": 4, "seed": 2, "npc": MIRA, "history": [[ASK["text"], first["text"]]]})
    assert known["text"] == whole["text"]
    assert known["text"] != talker.asks(ASK | {"request": 5, "seed": 2, "npc": MIRA})["text"]


def test_an_ask_that_was_sent_too_early_still_sees_the_turn_before_it(talker, connect, sidecar):
    for request in (2, 3, 4):
        talker.say(ASK | {"request": request, "seed": request})
    at_once = [talker.hear() for _ in range(3)]
    patient = connect(sidecar.port).hello().put(MIRA)
    one_by_one = [patient.asks(ASK | {"request": request, "seed": request}) for request in (2, 3, 4)]
    assert [line["text"] for line in at_once] == [line["text"] for line in one_by_one]
    assert at_once[2]["timings"]["queue_ms"] >= at_once[1]["timings"]["compute_ms"]


def test_what_shall_not_be_recorded_is_not(talker):
    talker.asks(ASK | {"request": 2, "record": False})
    talker.asks(ASK | {"request": 3, "npc": MIRA})
    assert turns_of(talker) == []


def test_a_fallback_line_is_not_remembered(talker):
    talker.put(PETRA)
    line = talker.asks(LONG_ASK | {"request": 2, "npc": "innkeeper", "deadline_ms": 1})
    assert (line["source"], line["text"]) == ("fallback", "Sit down first.")
    assert turns_of(talker, "innkeeper") == []


def test_sixteen_turns_are_remembered_and_the_oldest_make_room(talker):
    turns = [[f"question {number}", f"answer {number}"] for number in range(20)]
    assert load_turns(talker, turns) == {"type": "ok", "request": 91}
    assert turns_of(talker) == turns[4:]
    line = talker.asks(ASK | {"request": 2})
    assert turns_of(talker) == [*turns[5:], [ASK["text"], line["text"]]]


def test_the_oldest_turns_are_left_out_of_a_prompt_that_would_not_fit(talker):
    long = [["word " * 200, "word " * 200] for _ in range(16)]
    load_turns(talker, long)
    prompt = talker.asks({"type": "prompt.get", "request": 2, "npc": "smith", "text": ASK["text"]})
    assert [part.split(":")[0] for part in prompt["dropped"]].count("history") > 8
    assert talker.asks(ASK | {"request": 3})["type"] == "line"
    assert len(turns_of(talker)) == 16


def test_a_history_beside_an_id_is_refused(talker):
    assert talker.asks(ASK | {"request": 2, "history": [["Hi", "Aye."]]})["code"] == "bad-request"


def test_loading_replaces_the_turns_at_once_and_ends_the_open_asks_of_that_character(talker):
    talker.put(PETRA)
    talker.say(LONG_ASK | {"request": 2})
    talker.say(LONG_ASK | {"request": 3})
    talker.say(LONG_ASK | {"request": 4, "npc": "innkeeper"})
    assert load_turns(talker, [["Hi", "Aye."]]) == {"type": "ok", "request": 91}
    ends = [talker.hear(), talker.hear()]
    assert [(end["request"], end["code"]) for end in ends] == [(2, "cancelled"), (3, "cancelled")]
    assert turns_of(talker) == [["Hi", "Aye."]]
    assert talker.asks({"type": "cancel", "request": 5, "target": 4})["found"]


def test_forgetting_drops_the_character_its_turns_and_its_open_asks(talker):
    talker.asks(ASK | {"request": 2})
    talker.say(LONG_ASK | {"request": 3})
    assert talker.asks({"type": "npc.forget", "request": 4, "id": "smith"}) == {"type": "ok", "request": 4}
    end = talker.hear()
    assert (end["request"], end["code"]) == (3, "cancelled")
    assert talker.asks(ASK | {"request": 5})["code"] == "unknown-npc"
    assert turns_of(talker.put(MIRA)) == []


@pytest.mark.parametrize(
    "message",
    [
        ASK | {"npc": "nobody"},
        {"type": "npc.get", "id": "nobody"},
        {"type": "npc.save", "id": "nobody"},
        {"type": "npc.forget", "id": "nobody"},
        {"type": "npc.load", "data": '{"palaver_save": 1, "npc": "nobody", "turns": []}'},
    ],
    ids=lambda message: message["type"],
)
def test_a_character_that_was_not_put_is_named(talker, message):
    reply = talker.asks(message | {"request": 2})
    assert (reply["type"], reply["request"], reply["code"]) == ("error", 2, "unknown-npc")
    assert "nobody" in reply["message"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("not JSON", "bad-save"),
        ("[" * 100_000, "bad-save"),
        ('{"palaver_save": 3, "npc": "smith", "turns": "?"}', "save-version"),
        ('{"palaver_save": 1, "npc": "smith", "turns": [["Hi"]]}', "bad-save"),
    ],
    ids=["no JSON", "deep", "of tomorrow", "half a turn"],
)
def test_a_saved_text_that_cannot_be_used_changes_nothing(talker, data, code):
    load_turns(talker, [["Hi", "Aye."]])
    reply = talker.asks({"type": "npc.load", "request": 2, "data": data})
    assert (reply["request"], reply["code"]) == (2, code)
    assert turns_of(talker) == [["Hi", "Aye."]]


def test_two_clients_have_characters_of_their_own(talker, connect, sidecar):
    other = connect(sidecar.port).hello()
    assert other.asks(ASK | {"request": 2})["code"] == "unknown-npc"
    other.put(MIRA | {"name": "Maro"})
    other.asks(ASK | {"request": 3})
    assert turns_of(talker) == []
    assert talker.asks({"type": "npc.get", "request": 4, "id": "smith"})["npc"]["name"] == "Mira"
    assert other.asks({"type": "npc.forget", "request": 5, "id": "smith"})["type"] == "ok"
    assert talker.asks(ASK | {"request": 6})["type"] == "line"


def test_a_client_may_have_256_characters(talker):
    for number in range(255):
        talker.put(MIRA | {"id": f"guest {number}"})
    reply = talker.asks({"type": "npc.put", "request": 2, "npc": MIRA | {"id": "one more"}})
    assert (reply["request"], reply["code"]) == (2, "too-many-npcs")
    talker.put(MIRA | {"name": "Mara"})


def test_the_policies_hold_for_asks_that_wait_for_the_one_before_them(talker):
    talker.say(LONG_ASK | {"request": 2})
    talker.say(LONG_ASK | {"request": 3})
    reply = talker.asks(ASK | {"request": 4, "policy": "reject"})
    assert (reply["request"], reply["code"]) == (4, "npc-busy")
    talker.say(ASK | {"request": 5, "policy": "replace"})
    ends = [talker.hear() for _ in range(3)]
    assert {(end["request"], end.get("code", "line")) for end in ends[:2]} == {(2, "replaced"), (3, "replaced")}
    assert (ends[2]["type"], ends[2]["request"]) == ("line", 5)
    assert [player for player, _ in turns_of(talker)] == [ASK["text"]]


def test_an_ask_that_waits_for_the_one_before_it_keeps_its_deadline(talker):
    talker.say(LONG_ASK | {"request": 2})
    line = talker.asks(ASK | {"request": 3, "deadline_ms": 150})
    assert (line["request"], line["source"], line["finish_reason"]) == (3, "fallback", "deadline")
    assert line["text"] in ("...", "Hm.")
    assert line["timings"]["total_ms"] >= 150.0
    assert talker.asks({"type": "cancel", "request": 4, "target": 2})["found"]


def test_an_ask_that_waits_goes_on_when_the_one_before_it_is_cancelled(talker):
    talker.say(LONG_ASK | {"request": 2})
    talker.say(ASK | {"request": 3})
    talker.say({"type": "cancel", "request": 4, "target": 2})
    heard = [talker.hear() for _ in range(3)]
    assert [(reply["type"], reply["request"]) for reply in heard] == [("cancelled", 4), ("error", 2), ("line", 3)]


def test_the_report_counts_characters_asks_and_lines(talker):
    before = talker.asks({"type": "stats", "request": 2})
    talker.put(PETRA)
    talker.asks(ASK | {"request": 3})
    talker.asks(ASK | {"request": 4, "npc": "nobody"})
    talker.say(LONG_ASK | {"request": 5, "npc": "innkeeper"})
    after = talker.asks({"type": "stats", "request": 6})
    assert after["npcs"] == before["npcs"] + 1
    assert after["lines_model"] == before["lines_model"] + 1
    assert after["errors"] == before["errors"] + 1
    assert (after["open_asks"], after["state"], after["load_progress"]) == (1, "ready", 1.0)
    assert after["uptime_s"] >= before["uptime_s"] > 0.0
    assert after["step_ms"] > 0.0 and after["memory_mb"] > 1.0
    assert talker.asks({"type": "cancel", "request": 7, "target": 5})["found"]


def test_the_canonical_bytes_of_the_python_client_are_understood(talker):
    line = talker.asks(encode(Ask.of_known(2, "smith", text="Hello", steps=1, max_tokens=2)))
    assert (line["type"], line["request"]) == ("line", 2)
