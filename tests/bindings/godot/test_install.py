"""What a game programmer does first: copy the addon, enable the plugin, look things up in the editor's help."""

import shutil
from xml.etree import ElementTree

from tests.bindings.godot.conftest import ADDON_PROJECT, IMPORT_TIMEOUT_S, Project

EMPTY = """config_version=5

[editor_plugins]

enabled=PackedStringArray("res://addons/enabler/plugin.cfg")
"""
ENABLER = """@tool
extends EditorPlugin


func _enter_tree() -> void:
	_enable.call_deferred()


func _enable() -> void:
	EditorInterface.set_plugin_enabled("palaver", true)
	ProjectSettings.save()
"""
ENABLER_CONFIG = '[plugin]\n\nname="E"\ndescription=""\nauthor=""\nversion="1"\nscript="plugin.gd"\n'


def test_enabling_the_plugin_in_an_empty_project(godot, tmp_path):
    folder = tmp_path / "game"
    shutil.copytree(ADDON_PROJECT / "addons", folder / "addons")
    enabler = folder / "addons" / "enabler"
    enabler.mkdir()
    (enabler / "plugin.cfg").write_text(ENABLER_CONFIG, encoding="utf-8")
    (enabler / "plugin.gd").write_text(ENABLER, encoding="utf-8")
    settings = folder / "project.godot"
    settings.write_text(EMPTY, encoding="utf-8")
    ran = Project(godot, folder, tmp_path).run("--import", timeout_s=IMPORT_TIMEOUT_S)
    assert (ran.code, ran.complaints) == (0, []), ran
    assert 'Palaver="*res://addons/palaver/palaver.gd"' in settings.read_text(encoding="utf-8")


def test_everything_that_a_game_sees_is_documented(project, tmp_path):
    ran = project.run("--doctool", str(tmp_path), "--gdscript-docs", "res://addons/palaver")
    assert (ran.code, ran.complaints) == (0, []), ran
    pages = sorted(tmp_path.glob("Palaver*.xml"))
    assert len(pages) == 13
    assert [gap for page in pages for gap in undocumented(ElementTree.parse(page).getroot())] == []


def undocumented(page):
    """The class itself and its public methods, signals, properties and constants, where nothing is said of them."""
    texts = {"": page.findtext("brief_description")}
    texts |= {each.get("name"): each.findtext("description") for each in page.findall("methods/method")}
    texts |= {each.get("name"): each.findtext("description") for each in page.findall("signals/signal")}
    texts |= {each.get("name"): each.text for each in page.findall("members/member")}
    texts |= {each.get("name"): each.text for each in page.findall("constants/constant")}
    return [
        f"{page.get('name')}.{name}" for name, text in texts.items() if name[:1] != "_" and not (text or "").strip()
    ]
