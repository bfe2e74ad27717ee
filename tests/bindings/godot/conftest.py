"""Godot itself, and a copy of the addon's project that it has imported."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.engines.godot import find_godot
from tools.environment import PROJECT_ROOT, SetupError

ADDON_PROJECT = PROJECT_ROOT / "bindings" / "godot"
PROTOCOL = PROJECT_ROOT / "bindings" / "protocol"
IMPORT_TIMEOUT_S = 180
RUN_TIMEOUT_S = 180
COMPLAINTS = ("ERROR:", "SCRIPT ERROR:", "WARNING:", "USER ERROR:", "USER WARNING:", "USER SCRIPT ERROR:")


@pytest.fixture(scope="session")
def godot() -> Path:
    """Godot's executable."""
    try:
        return find_godot()
    except SetupError as error:
        if os.environ.get("PALAVER_REQUIRE_ENGINES") == "1":
            raise
        pytest.skip(str(error))


@dataclass(frozen=True)
class Ran:
    """What a run of Godot left: its exit code, and its output by lines."""

    code: int
    stdout: list[str]
    stderr: list[str]

    @property
    def complaints(self) -> list[str]:
        """What the engine itself did not like."""
        return complaints_in(self.stderr)


def complaints_in(lines: list[str]) -> list[str]:
    """The lines in which Godot complains, without what it says about a machine that has no screen."""
    return [line for line in lines if line.lstrip().startswith(COMPLAINTS) and "V-Sync" not in line]


class Project:
    """An imported copy of the addon's project, and ways to run it without a window."""

    def __init__(self, godot: Path, folder: Path, home: Path) -> None:
        self.godot = godot
        self.folder = folder
        # Whatever the person who runs the tests has set must not reach the game, and the game nothing of theirs.
        mine = {name: value for name, value in os.environ.items() if not name.startswith(("PALAVER_", "XDG_"))}
        self.environ = mine | {"HOME": str(home), "APPDATA": str(home), "PYTHONPATH": str(PROJECT_ROOT)}

    def command(self, *arguments: str, pack: Path | None = None) -> list[str]:
        """The command line of a run: of the project, or of a pack that it was exported to."""
        game = ["--path", str(self.folder)] if pack is None else ["--main-pack", str(pack)]
        return [str(self.godot), "--headless", "--no-header", *game, *arguments]

    def run(self, *arguments: str, pack: Path | None = None, timeout_s: float = RUN_TIMEOUT_S, **environ: str) -> Ran:
        """Run Godot to its end."""
        done = subprocess.run(
            self.command(*arguments, pack=pack),
            env=self.environ | environ,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_s,
        )
        return Ran(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())

    def run_suites(self, *suites: str, pack: Path | None = None, **environ: str) -> Ran:
        """Run suites of GDScript tests; fails where one of them, or the engine, has something to complain of."""
        ran = self.run("--", *suites, pack=pack, **environ)
        said = "\n".join([*ran.stdout, *ran.stderr])
        assert ran.code == 0, said
        assert not ran.complaints, said
        assert all(any(line.startswith(f"PASS {suite}.") for line in ran.stdout) for suite in suites), said
        return ran


@pytest.fixture(scope="session")
def project(godot, tmp_path_factory) -> Project:
    """The addon's project, imported. The folder has a space and letters beyond ASCII, as those of players have."""
    root = tmp_path_factory.mktemp("godot")
    folder = root / "Mein Spiel ü"
    shutil.copytree(ADDON_PROJECT, folder, ignore=shutil.ignore_patterns(".godot", "*.import", "*.uid"))
    made = Project(godot, folder, root)
    ran = made.run("--import", timeout_s=IMPORT_TIMEOUT_S)
    assert ran.code == 0, "\n".join([*ran.stdout, *ran.stderr])
    # The editor plugin ran too.
    assert not ran.complaints, "\n".join(ran.stderr)
    return made


@pytest.fixture(scope="session")
def sidecar_environ() -> dict[str, str]:
    """What has the addon start this repository's sidecar with this Python."""
    return {"PALAVER_EXECUTABLE": sys.executable, "PALAVER_ARGUMENTS": "-P -m runtime.serve"}
