"""The addon's own tests, run by Godot: what needs no sidecar, or one that misbehaves."""

import itertools
import json

from runtime.template import written_beforehand
from tests.bindings.godot.conftest import PROTOCOL
from tests.bindings.godot.odd_sidecar import SECRET, OddSidecar
from tests.random_templates import random_template

TEMPLATES = [
    "",
    "{*}",
    "Aye, {*}",
    "{*} Farewell.",
    "Bring me {*} by {*1-4=nightfall}, or {*}.",
    "Bring me {*=some pelts} for {*3} gold",
    "{*2=aye} {{sic}} {*}",
    "{*= so} or {*=  so }",
    "{*=好}",
    "Grüße, {*=wohl bekomm's}",
    "I told {*} and {*}",
    "My lord, {*}",
]
RANDOM_TEMPLATES = 1000
PHRASES = [[], ["my lord"], ["My lord"], ["the old mill", "seven"], ["Well met!"], ["好"], ["42"], ["sic", "Not now."]]


def test_the_parts_of_the_addon(project, tmp_path):
    pins = tmp_path / "pins.json"
    random = map(random_template, range(RANDOM_TEMPLATES))
    cases = [(made.text, PHRASES[len(made.text) % len(PHRASES)] if made.has_free_gap else []) for made in random]
    cases += itertools.product(TEMPLATES, PHRASES)
    pins.write_text(json.dumps([pinned(template, phrases) for template, phrases in cases]), encoding="utf-8")
    files = {"VECTORS": PROTOCOL / "vectors.json", "ACCEPTED": PROTOCOL / "accepted.json", "PINS": pins}
    environ = {f"PALAVER_{name}": str(path) for name, path in files.items()}
    ran = project.run_suites("scripts", "msgpack", "zmtp", "talk", **environ)
    assert len(ran.stdout) > 20


def test_a_client_and_a_sidecar_that_misbehaves(project):
    with OddSidecar() as sidecar:
        environ = {"PALAVER_TEST_PORT": str(sidecar.port), "PALAVER_TEST_SECRET": SECRET}
        project.run_suites("odd_sidecar", "odd_answers", **environ)
    twice = said(sidecar, "vanish")
    assert [message["seed"] for message in twice] == [3, 3]
    again = before(sidecar, twice[1], 3)
    assert [message["type"] for message in again] == ["hello", "npc.put", "npc.load"]
    assert "You said: Hello" in again[2]["data"]
    choices = said(sidecar, "choose and vanish")
    assert [message["options"] for message in choices] == [["Aye.", "No.", "Perhaps."]] * 2
    assert len([message for message in sidecar.heard if message.get("text") == "send a huge frame"]) == 2
    evening, night, morning = (said(sidecar, f"Good {time}")[0] for time in ("evening", "night", "morning"))
    assert [message["type"] for message in before(sidecar, evening, 3)] == ["hello", "world.put", "npc.put"]
    worlds = [message["world"] for message in sidecar.heard_of("world.put")]
    assert worlds == [{"time": ["It is evening."]}, {"time": ["It is night."]}, {}]
    assert [before(sidecar, ask, 1)[0]["type"] for ask in (night, morning)] == ["world.put"] * 2
    summaries = [(message["id"], message["text"], message.get("keep")) for message in sidecar.heard_of("npc.summary")]
    assert summaries == [("petra", "They haggled.", 1), ("bruno", "An old friend.", None)]
    _first, second = said(sidecar, "sum up and vanish")
    saves = [json.loads(message["data"]) for message in before(sidecar, second, 4) if message["type"] == "npc.load"]
    assert {save["npc"]: save["summary"] for save in saves}["petra"] == "They haggled."


def pinned(template, phrases):
    """What has to be said, with this template and these phrases, without the model."""
    text = written_beforehand(template or None, phrases, "Not now.")
    return {"template": template, "must_include": phrases, "text": text}


def said(sidecar, text):
    """The messages with this text of the player's."""
    return [message for message in sidecar.heard if message.get("text") == text]


def before(sidecar, message, count):
    """The messages that came just before one."""
    return sidecar.heard[sidecar.heard.index(message) - count :][:count]


def test_untyped_code_in_the_addon_would_not_pass(project):
    script = project.folder / "addons" / "palaver" / "careless.gd"
    script.write_text("extends RefCounted\n\n\nfunc name(given):\n\treturn given.name\n", encoding="utf-8")
    try:
        ran = project.run("--", "scripts")
    finally:
        script.unlink()
    assert any("has no static type" in line for line in ran.stderr)
