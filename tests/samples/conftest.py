"""The tavern in a folder of its own, run as a player would run it."""

import os
import subprocess
import sys

import pytest

from tests.bindings.godot.conftest import godot  # noqa: F401 - a fixture
from tools.engines.xvfb import has_screen, install_xvfb
from tools.environment import PROJECT_ROOT

RUN = PROJECT_ROOT / "samples" / "godot-tavern" / "run.py"
RUN_TIMEOUT_S = 240


class Tavern:
    """The sample game, started by its `run.py`, with nothing of the person who runs the tests."""

    def __init__(self, program, project, home):
        self.godot = program
        self.project = project
        self.command = [sys.executable, str(RUN), "--godot", str(program), "--project", str(project)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PALAVER_", "XDG_"))}
        self.environ = kept | {"HOME": str(home), "APPDATA": str(home)}

    def run(self, *arguments):
        """Run it to its end."""
        command = [*self.command, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", env=self.environ, timeout=RUN_TIMEOUT_S)

    def start(self, *arguments):
        """Start it, to be killed."""
        return subprocess.Popen([*self.command, *arguments], stdout=subprocess.PIPE, encoding="utf-8", env=self.environ)


@pytest.fixture(scope="session")
def tavern(godot, tmp_path_factory):  # noqa: F811 - the fixture
    folder = tmp_path_factory.mktemp("tavern")
    made = Tavern(godot, folder / "Die Schänke", folder)
    done = made.run("--prepare")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def screen():
    """Something to draw on."""
    if os.environ.get("PALAVER_REQUIRE_ENGINES") == "1":
        install_xvfb()
    if not has_screen():
        pytest.skip("there is neither a screen nor Xvfb; python -m tools.engines.xvfb installs it")
