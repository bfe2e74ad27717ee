"""What docs/dialogue-tools.md shows: its GDScript runs in a real Godot, its C# compiles.

Dialogue Manager, Dialogic, Yarn Spinner and Ink themselves are not here.
"""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.bindings.godot.conftest import complaints_in
from tools.engines.mono import find_mono, install_mono
from tools.environment import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "dialogue-tools.md").read_text(encoding="utf-8")
# However slow the machine is: with a sidecar the line comes from the model.
VOICES = re.search(r"^```gdscript\n(.*?)^```$", PAGE, re.M | re.S)[1].replace("DEADLINE_MS := 1500", "DEADLINE_MS := 0")
YARN, INK = re.findall(r"^```csharp\n(.*?)^```$", PAGE, re.M | re.S)
UNITY = PROJECT_ROOT / "bindings" / "unity" / "com.palaver.npc" / "Runtime"
STUBS = PROJECT_ROOT / "tests" / "bindings" / "unity" / "stubs"
STAND_INS = PROJECT_ROOT / "tests" / "samples" / "stand_ins"
# The page shows a method of some class that holds these three.
AROUND_INK = """
using System.Threading.Tasks;
using Palaver;

public abstract class InkTalk
{
    protected PalaverNpc npc;
    protected Ink.Runtime.Story story;

    protected abstract void Show(string line);

%s
}
"""
BEAT = """
extends Node

const Voices := preload("res://voices.gd")


func _ready() -> void:
	var voices := Voices.new()
	add_child(voices)
	var npc := PalaverNpc.new()
	npc.persona = load("res://personas/guard.tres")
	npc.add_to_group(&"voices")
	add_child(npc)
	while not Palaver.is_ready():
		await Palaver.state_changed
	await voices.ask("guard", "Is it safe here?")
	var spoken := voices.line
	await voices.choose("guard", "Let me pass.", ["The pass costs 5 gold.", "Then go, quickly."])
	var chosen := voices.index
	Palaver.stop()
	await voices.ask("guard", "Is it safe here?")
	await voices.choose("guard", "Let me pass.", ["The pass costs 5 gold.", "Then go, quickly."])
	print(JSON.stringify([spoken, chosen, voices.line, voices.index]))
	get_tree().quit()
"""


@pytest.fixture
def beat(tavern):
    """Starts the scene above in the tavern's project, and takes it out again."""
    scene = '[gd_scene load_steps=2 format=3]\n[ext_resource type="Script" path="res://beat.gd" id="1"]\n'
    scene += '[node name="Beat" type="Node"]\nscript = ExtResource("1")\n'
    files = {"voices.gd": VOICES, "beat.gd": BEAT, "beat.tscn": scene}
    for name, text in files.items():
        (tavern.project / name).write_text(text, encoding="utf-8")
    start = [tavern.godot, "--headless", "--no-header", "--path", tavern.project, "--quit-after", "3000"]
    yield [*start, "res://beat.tscn"]
    for name in files:
        (tavern.project / name).unlink()


def test_a_beat_awaits_a_line_and_falls_back_to_the_written_one(beat, tavern):
    environ = tavern.environ | {"PALAVER_EXECUTABLE": sys.executable, "PYTHONPATH": str(PROJECT_ROOT)}
    done = subprocess.run(beat, env=environ, capture_output=True, encoding="utf-8", timeout=120)
    assert not complaints_in(done.stderr.splitlines()), done.stderr
    spoken, chosen, *after_the_end = json.loads(done.stdout.splitlines()[-1])
    assert spoken
    assert chosen in (0, 1)
    assert after_the_end == ["", 0]


def test_the_csharp_compiles_with_the_unity_package(tmp_path):
    mono = install_mono() if os.environ.get("PALAVER_REQUIRE_ENGINES") == "1" else find_mono()
    if mono is None:
        pytest.skip("mono is not here; python -m tools.engines.mono installs it")
    (tmp_path / "LiveVoice.cs").write_text(YARN, encoding="utf-8")
    (tmp_path / "InkTalk.cs").write_text(AROUND_INK % INK, encoding="utf-8")
    folders = [UNITY, UNITY / "Core", UNITY / "Core" / "Wire", STUBS, STAND_INS, tmp_path]
    mono.compile([file for folder in folders for file in sorted(folder.glob("*.cs"))], tmp_path / "snippets.dll")
