"""The engine layer, compiled against stand-ins for the engine's classes and played on them."""

import json
import re

import pytest

from runtime.version import __version__
from tests.bindings.unreal.programs import HERE, LAYER, PLUGIN, run
from tests.bindings.unreal.sidecars import COMMAND, ENVIRON

MAX_LINES = 300
HEADERS = sorted((LAYER / "Public").glob("*.h"))


@pytest.mark.parametrize("play", ["alone", "node", "end"])
def test_a_game_without_a_sidecar_plays(layer, tmp_path, play):
    run(layer, play, STUB_PROJECT=str(tmp_path))


def test_a_game_starts_its_sidecar_and_talks(layer, tmp_path):
    home = tmp_path / "Masaüstü 田"
    home.mkdir()
    said = run(layer, "sidecar", *COMMAND, timeout_s=90.0, STUB_PROJECT=str(home), **ENVIRON)
    assert said.strip()
    assert not list(home.rglob("ready*"))
    assert list(home.rglob("sidecar-*.log"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_headers_are_as_the_header_tool_wants_them(header):
    text = header.read_text(encoding="utf-8")
    includes = re.findall(r'^#include "(.*)"$', text, re.MULTILINE)
    assert includes[-1] == f"{header.stem}.generated.h"
    # Nothing of the core or the standard library may reach a game's own code through these.
    assert not [each for each in includes if each.startswith("PalaverCore/")]
    assert "<" not in "".join(re.findall(r"^#include (.*)$", text, re.MULTILINE))
    for kind in ("UCLASS", "USTRUCT", "UENUM"):
        assert text.count(f"\n{kind}(") == len(re.findall(rf"\n{kind}\(.*\)\n(?:class|struct|enum class) ", text))


def test_what_is_bound_by_name_is_known_to_the_engine():
    source = (LAYER / "Private" / "PalaverAskAction.cpp").read_text(encoding="utf-8")
    header = (LAYER / "Public" / "PalaverAskAction.h").read_text(encoding="utf-8")
    bound = re.findall(r"AddDynamic\(this, &\w+::(\w+)\)", source)
    assert bound
    for name in bound:
        assert re.search(rf"UFUNCTION\(\)\s+void {name}\(", header), name


def test_the_descriptor_names_this_version_and_the_modules_that_there_are():
    descriptor = json.loads((PLUGIN / "Palaver.uplugin").read_text(encoding="utf-8"))
    assert descriptor["VersionName"] == __version__
    named = [module["Name"] for module in descriptor["Modules"]]
    assert sorted(named) == sorted(folder.name for folder in (PLUGIN / "Source").iterdir())
    for name in named:
        assert f"class {name} : ModuleRules" in (PLUGIN / "Source" / name / f"{name}.Build.cs").read_text("utf-8")


@pytest.mark.parametrize("folder", [PLUGIN / "Source", HERE], ids=["plugin", "tests"])
def test_no_file_is_longer_than_one_idea(folder):
    files = [file for file in folder.rglob("*") if file.suffix in (".h", ".cpp", ".cs")]
    assert files
    for file in files:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES, file.name
