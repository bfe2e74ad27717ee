"""Worlds, summaries, choices, prompts and pinned words: each test plays the sidecar for one in ContextTests.cs."""

import json

from tests.bindings.unity.scripted import ScriptedSidecar, choice, error, line


def test_a_new_connection_is_told_everything(csharp):
    chosen = []

    def script(message):
        if message["type"] == "ask":
            return [line(message, message["text"])]
        if message["type"] == "choose":
            chosen.append(message)
            if len(chosen) == 1:
                sidecar.restart()
                return []
            return [choice(message, 1)]
        return None

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ContextTests.ANewConnectionIsToldEverything", sidecar.port)
    first_life = ["hello", "npc.put", "world.put", "ask", "npc.summary", "choose"]
    assert sidecar.types() == [*first_life, "hello", "world.put", "npc.put", "npc.load", "choose"]
    told = {message["type"]: message for message in sidecar.received}
    assert told["world.put"]["world"] == {"time": ["It is evening."]}
    assert told["npc.summary"]["keep"] == 1
    saved = json.loads(told["npc.load"]["data"])
    assert saved == {"palaver_save": 2, "npc": "smith", "summary": "They met.", "turns": [["One?", "One?"]]}
    lost, again = chosen
    assert again["deadline_ms"] <= lost["deadline_ms"]
    assert again | {"deadline_ms": 0} == lost | {"deadline_ms": 0}


def test_every_choose_ends(csharp):
    def script(message):
        if message["type"] != "choose":
            return None
        return [error(message, "busy")] if message["text"] == "busy" else []

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ContextTests.EveryChooseEnds", sidecar.port)
    assert sidecar.types().count("cancel") == 2


def test_fallbacks_hold_what_is_pinned(csharp):
    with ScriptedSidecar(lambda message: [error(message, "busy")] if message["type"] == "ask" else None) as sidecar:
        csharp.check("ContextTests.FallbacksHoldWhatIsPinned", sidecar.port)


def test_lines_tell_what_they_do(csharp):
    def script(message):
        if message["type"] != "ask":
            return None
        said = line(message, "[lb]Take[lb] it.") | {
            "plain_text": "[Take] it.",
            "directions": ["sighs"],
            "action": {"name": "give", "args": {"item": "iron kettle", "count": 3}},
        }
        # The second one is of a line that this client knows nothing of.
        told = {"type": "summary", "request": message["request"], "id": "smith", "text": "They met.", "keep": 1}
        return [told, said, told | {"request": 999, "text": "Who met?", "keep": 0}]

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ContextTests.LinesTellWhatTheyDo", sidecar.port)


def test_prompts_come_or_tell_why_not(csharp):
    def script(message):
        if message["type"] != "prompt.get":
            return None
        if message["text"] == "Hello":
            found = {"text": "You are Borin.", "tokens": 12, "dropped": ["A fact."]}
            return [{"type": "prompt", "request": message["request"], **found}]
        return [error(message, "loading")] if message["text"] == "loading" else []

    with ScriptedSidecar(script) as sidecar:
        csharp.check("ContextTests.PromptsComeOrTellWhyNot", sidecar.port)
    first = next(message for message in sidecar.received if message["type"] == "prompt.get")
    assert first["npc"]["name"] == "Borin"
    assert (first["world"], first["summary"]) == ({"time": ["Noon."]}, "They met.")
