"""What the tests of the Unreal plugin run, compiled once for all of them."""

import json
import os
from pathlib import Path

import pytest

from tests.bindings.unreal.programs import PROTOCOL, Programs, build_programs
from tests.bindings.unreal.puppet import Puppet
from tools.engines.cpp import Cpp, find_cpp, install_cpp


@pytest.fixture(scope="session")
def cpp() -> Cpp:
    """The compiler."""
    if os.environ.get("PALAVER_REQUIRE_ENGINES") == "1":
        return install_cpp()
    found = find_cpp()
    if found is None:
        pytest.skip("no g++ is here; `python -m tools.engines.cpp` installs it")
    return found


@pytest.fixture(scope="session")
def programs(cpp: Cpp, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Everything that is compiled."""
    return build_programs(cpp, tmp_path_factory.mktemp("unreal"))


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The protocol's vectors as lines of fields with tabs between them."""
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    rows = []
    for each in json.loads((PROTOCOL / "vectors.json").read_text(encoding="utf-8")):
        verdict = ("valid", each["type"]) if each["valid"] else ("invalid", each["code"])
        rows.append((each["name"], each["from"], *verdict, each["hex"]))
    for each in json.loads((PROTOCOL / "accepted.json").read_text(encoding="utf-8")):
        rows.append((each["name"], each["from"], "accepted", each["type"], each["hex"]))
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def layer(programs: Programs) -> Path:
    """The game on the engine layer."""
    return programs.layer


@pytest.fixture
def puppet(programs: Programs):
    """Starts games that are driven from outside; ended after the test."""
    started: list[Puppet] = []

    def start() -> Puppet:
        started.append(Puppet(programs.play))
        return started[-1]

    yield start
    for each in started:
        each.close()
