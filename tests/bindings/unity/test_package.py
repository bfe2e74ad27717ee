"""The Unity package as Unity finds it: its layout, its assemblies, and that everything in it compiles strictly."""

import json
import re

import pytest

from bindings.unity.metas import metas
from runtime.version import __version__
from tests.bindings.unity.conftest import PACKAGE, sources

MAX_LINES = 300
SOURCES = sorted(PACKAGE.rglob("*.cs"))


def read(name):
    return json.loads((PACKAGE / name).read_text(encoding="utf-8"))


def test_the_package_names_itself_and_its_samples():
    package = read("package.json")
    assert package["name"] == PACKAGE.name
    assert package["version"] == __version__
    assert f"## {__version__}" in (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")
    for sample in package["samples"]:
        assert list((PACKAGE / sample["path"]).glob("*.cs"))


def test_every_file_that_unity_sees_has_its_identifier():
    wanted = metas(PACKAGE)
    assert {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.meta")} == wanted
    identifiers = re.findall(r"^guid: ([0-9a-f]{32})$", "\n".join(wanted.values()), re.MULTILINE)
    assert len(set(identifiers)) == len(wanted)


def test_the_core_knows_nothing_of_unity():
    core = read("Runtime/Core/Palaver.Core.asmdef")
    assert core["noEngineReferences"] and core["references"] == []
    for file in (PACKAGE / "Runtime" / "Core").rglob("*.cs"):
        assert "Unity" not in re.sub(r"//.*", "", file.read_text(encoding="utf-8")), file


def test_assemblies_name_each_other():
    runtime, editor = read("Runtime/Palaver.asmdef"), read("Editor/Palaver.Editor.asmdef")
    assert runtime["references"] == ["Palaver.Core"]
    assert editor["references"] == ["Palaver.Core", "Palaver"] and editor["includePlatforms"] == ["Editor"]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_no_file_is_longer_than_one_idea_or_trips_over_the_compiler(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    # Mono's compiler reads 1_000 as 10000.
    assert not re.search(r"\b\d+_\d", text)


def test_all_of_it_compiles_without_a_warning_and_is_documented(layer):
    assert all(library.is_file() for library in layer.references)


def test_the_sample_compiles(mono, layer):
    folders = [path for path in (PACKAGE / "Samples~").iterdir() if path.is_dir()]
    for folder in folders:
        mono.compile(sources(folder), layer.folder / f"{folder.name}.dll", references=layer.references)


def test_the_examples_of_the_readme_compile(mono, layer, tmp_path):
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```csharp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        file = tmp_path / f"Example{number}.cs"
        # What the inspector sets is never assigned in the script: Unity's compiler knows, this one does not.
        file.write_text(f"#pragma warning disable 649\n{example}", encoding="utf-8")
        mono.compile([file], file.with_suffix(".dll"), references=layer.references)
