"""The Unity package and its C# tests, compiled once a session."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from runtime.messages import READY
from tools.engines.mono import Mono, find_mono, install_mono
from tools.environment import PROJECT_ROOT

TESTS = Path(__file__).parent
PACKAGE = PROJECT_ROOT / "bindings" / "unity" / "com.palaver.npc"
PROTOCOL = PROJECT_ROOT / "bindings" / "protocol"
TIMEOUT_S = 60


@dataclass(frozen=True)
class CSharp:
    """A compiled C# program of tests."""

    mono: Mono
    program: Path

    def start(self, *arguments, env=None):
        """The program with these arguments, running."""
        return subprocess.Popen(
            [self.mono.runtime, "--debug", str(self.program), *map(str, arguments)],
            cwd=PROJECT_ROOT,
            env=os.environ | (env or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def check(self, *arguments, env=None):
        """Run it to its end; what it printed. Fails with what it says."""
        process = self.start(*arguments, env=env)
        try:
            printed, complaint = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            pytest.fail(f"{arguments[0]} did not end within {TIMEOUT_S} s")
        assert process.returncode == 0, complaint
        return printed


def sources(folder):
    found = sorted(folder.glob("*.cs"))
    assert found
    return found


@pytest.fixture(scope="session")
def mono():
    if os.environ.get("PALAVER_REQUIRE_ENGINES") == "1":
        return install_mono()
    if (found := find_mono()) is None:
        pytest.skip("mono is not here; python -m tools.engines.mono installs it")
    return found


@pytest.fixture(scope="session")
def core_sources():
    return [*sources(PACKAGE / "Runtime" / "Core"), *sources(PACKAGE / "Runtime" / "Core" / "Wire")]


@pytest.fixture(scope="session")
def csharp(mono, core_sources, tmp_path_factory):
    # Compiled together, so that the tests see what is internal.
    program = tmp_path_factory.mktemp("unity") / "tests.exe"
    mono.compile([*sources(TESTS), *core_sources], program)
    return CSharp(mono, program)


@dataclass(frozen=True)
class Layer:
    """The part of the package for Unity, compiled against stubs.

    Attributes:
        references: the libraries that a game's script would be compiled with.
    """

    folder: Path
    references: tuple[Path, ...]


@pytest.fixture(scope="session")
def layer(mono, core_sources, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unity")
    core, stubs, runtime, editor = (
        folder / f"{name}.dll" for name in ("Palaver.Core", "UnityStubs", "Palaver", "Palaver.Editor")
    )
    mono.compile(core_sources, core, documented=True)
    mono.compile(sources(TESTS / "stubs"), stubs)
    mono.compile(sources(PACKAGE / "Runtime"), runtime, references=[core, stubs], documented=True)
    mono.compile(sources(PACKAGE / "Editor"), editor, references=[core, stubs, runtime], documented=True)
    return Layer(folder, (core, stubs, runtime))


@pytest.fixture(scope="session")
def vectors(tmp_path_factory):
    """The protocol's vectors in a form that needs no JSON: name, from, hex, and type or !code, a line each."""
    rows = []
    for vector in json.loads((PROTOCOL / "vectors.json").read_text(encoding="utf-8")):
        verdict = vector["type"] if vector["valid"] else f"!{vector['code']}"
        rows.append("\t".join((vector["name"], vector["from"], vector["hex"], verdict)))
    file = tmp_path_factory.mktemp("unity") / "vectors.txt"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def accepted(tmp_path_factory):
    """The protocol's other spellings: name, from, hex, and the canonical hex, a line each."""
    rows = json.loads((PROTOCOL / "accepted.json").read_text(encoding="utf-8"))
    file = tmp_path_factory.mktemp("unity") / "accepted.txt"
    lines = ["\t".join((row["name"], row["from"], row["hex"], row["canonical"])) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@dataclass(frozen=True)
class LiveSidecar:
    """A sidecar with the pocket model, and what a client needs to know of it."""

    port: int
    env: dict[str, str]


@pytest.fixture(scope="session")
def live_sidecar():
    env = {"PALAVER_SECRET": "a secret of these tests"}
    process = subprocess.Popen(
        [sys.executable, "-m", "runtime.serve", "--stdio-guard"],
        cwd=PROJECT_ROOT,
        env=os.environ | env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        ready = process.stdout.readline()
        assert ready.startswith(READY)
        yield LiveSidecar(json.loads(ready.removeprefix(READY))["port"], env)
        process.stdin.close()
        assert process.wait(TIMEOUT_S) == 0
