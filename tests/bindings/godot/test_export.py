"""A game that is exported: the sidecar lies next to it and is found, and scripts run from the pack."""

import shutil
import sys

import pytest

PRESET = """
[preset.0]
name="Linux"
platform="Linux"
runnable=true
export_filter="all_resources"
include_filter=""
exclude_filter=""
export_path=""
script_export_mode=2

[preset.0.options]
binary_format/embed_pck=false
binary_format/architecture="x86_64"
"""


@pytest.fixture
def exporting(project, tmp_path):
    """The project with an export preset and a standalone folder in its settings, undone afterwards."""
    standalone = tmp_path / "standalone"
    (standalone / "inner").mkdir(parents=True)
    (standalone / "inner" / "library").write_text("library", encoding="utf-8")
    program = standalone / "palaver-sidecar"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    settings = project.folder / "project.godot"
    before = settings.read_text(encoding="utf-8")
    presets = project.folder / "export_presets.cfg"
    presets.write_text(PRESET, encoding="utf-8")
    settings.write_text(f'{before}\nsidecar/standalone_folder="{standalone.as_posix()}"\n', encoding="utf-8")
    yield project
    settings.write_text(before, encoding="utf-8")
    presets.unlink()


def test_an_exported_game_brings_its_sidecar(exporting, tmp_path):
    game = tmp_path / "game"
    game.mkdir()
    ran = exporting.run("--export-pack", "Linux", str(game / "game.pck"), timeout_s=180)
    assert (ran.code, ran.complaints) == (0, []), ran
    shipped = game / "palaver"
    assert (shipped / "inner" / "library").read_text(encoding="utf-8") == "library"
    assert (shipped / "palaver-sidecar").stat().st_mode & 0o111
    # On a player's machine there is no such folder.
    shutil.rmtree(tmp_path / "standalone")
    pack = game / "game.pck"
    exporting.run_suites("pack", pack=pack, PALAVER_TEST_GAME=str(game), PALAVER_TEST_PYTHON=sys.executable)
