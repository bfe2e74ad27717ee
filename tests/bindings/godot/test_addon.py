"""The addon's own tests, run by Godot: what needs no sidecar, or one that misbehaves."""

from tests.bindings.godot.conftest import PROTOCOL
from tests.bindings.godot.odd_sidecar import SECRET, OddSidecar


def test_the_parts_of_the_addon(project):
    vectors = PROTOCOL / "vectors.json"
    ran = project.run_suites("scripts", "msgpack", "zmtp", "talk", PALAVER_VECTORS=str(vectors))
    assert len(ran.stdout) > 20


def test_a_client_and_a_sidecar_that_misbehaves(project):
    with OddSidecar() as sidecar:
        project.run_suites("odd_sidecar", PALAVER_TEST_PORT=str(sidecar.port), PALAVER_TEST_SECRET=SECRET)
    twice = [message for message in sidecar.heard if message.get("text") == "vanish"]
    assert [message["seed"] for message in twice] == [3, 3]
    again = sidecar.heard[sidecar.heard.index(twice[1]) - 3 :][:3]
    assert [message["type"] for message in again] == ["hello", "npc.put", "npc.load"]
    assert "You said: Hello" in again[2]["data"]
    assert len([message for message in sidecar.heard if message.get("text") == "send a huge frame"]) == 2


def test_untyped_code_in_the_addon_would_not_pass(project):
    script = project.folder / "addons" / "palaver" / "careless.gd"
    script.write_text("extends RefCounted\n\n\nfunc name(given):\n\treturn given.name\n", encoding="utf-8")
    try:
        ran = project.run("--", "scripts")
    finally:
        script.unlink()
    assert any("has no static type" in line for line in ran.stderr)
