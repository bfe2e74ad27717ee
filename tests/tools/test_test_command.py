"""tools/test.py on a copy of itself beside a project of one file, in an environment that is ready made."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tools.environment import STAMP_NAME, fingerprint, python_of

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PYPROJECT = """\
[tool.ruff]
line-length = 120
lint.select = ["F"]
[tool.mypy]
strict = true
files = ["hello.py"]
[tool.pytest.ini_options]
pythonpath = ["."]
"""
HELLO = 'def hello(name: str) -> str:\n    return f"Hello {name}"\n'
TESTS = """\
from hello import hello


def test_hello():
    assert hello("Mira") == "Hello Mira"


def test_of_no_interest():
    pass
"""


@pytest.fixture(scope="module")
def ready_venv(tmp_path_factory):
    """A virtual environment that borrows the packages of this one and counts as installed for PYPROJECT."""
    folder = tmp_path_factory.mktemp("venv") / "a venv"
    venv.create(folder)
    site_packages = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(folder)}))
    (site_packages / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    info = site_packages / "palaver-0.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: palaver\nVersion: 0.0.0\n", encoding="utf-8")
    ruff = next(Path(sysconfig.get_path("scripts")).glob("ruff*"))
    shutil.copy2(ruff, python_of(folder).parent / ruff.name)
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    stamp = f"editable dev {fingerprint(folder, ['pyproject.toml'])}"
    (folder / STAMP_NAME).write_text(stamp, encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "some project"
    (root / "tools").mkdir(parents=True)
    for name in ("__init__.py", "environment.py", "test.py"):
        shutil.copy2(TOOLS / name, root / "tools" / name)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (root / "hello.py").write_text(HELLO, encoding="utf-8")
    (root / "test_hello.py").write_text(TESTS, encoding="utf-8")
    return root


def run(project, ready_venv, *arguments):
    command = [sys.executable, project / "tools" / "test.py", "--venv", ready_venv, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=project.parent,
        # What mypy knows of the standard library is the same in each of these projects.
        env=os.environ | {"MYPY_CACHE_DIR": str(ready_venv / "mypy")},
        timeout=300,
    )
    assert "making a virtual environment" not in done.stdout, done.stdout
    return done


def verdicts(done):
    """What the last lines say of each check, in order."""
    return {name: verdict for verdict, name in re.findall(r"^(passed|FAILED)  (.+)  \(\d+ s\)$", done.stdout, re.M)}


def test_a_good_project_passes_everything(project, ready_venv):
    done = run(project, ready_venv)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(verdicts(done).items()) == [
        ("ruff check", "passed"),
        ("ruff format", "passed"),
        ("mypy", "passed"),
        ("pytest", "passed"),
    ]


def test_every_kind_of_mistake_is_found_in_one_run(project, ready_venv):
    (project / "hello.py").write_text('import os\ndef hello(name: str)->int:\n    return "Bye"\n', encoding="utf-8")
    done = run(project, ready_venv)
    assert done.returncode == 1
    assert set(verdicts(done).values()) == {"FAILED"}
    assert len(verdicts(done)) == 4


@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [("def hello", "import os\n\n\ndef hello", "ruff check"), ("name: str", "name", "mypy")],
)
def test_one_mistake_is_enough(project, ready_venv, old, new, failed):
    (project / "hello.py").write_text(HELLO.replace(old, new), encoding="utf-8")
    done = run(project, ready_venv)
    assert done.returncode == 1
    assert [name for name, verdict in verdicts(done).items() if verdict == "FAILED"] == [failed]


def test_other_arguments_go_to_pytest(project, ready_venv):
    done = run(project, ready_venv, "--no-lint", "-v", "-k", "interest")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(verdicts(done)) == ["pytest"]
    assert "test_of_no_interest PASSED" in done.stdout
    assert "test_hello PASSED" not in done.stdout


def test_a_run_without_any_test_is_no_success(project, ready_venv):
    assert run(project, ready_venv, "--no-lint", "-k", "nothing_like_this").returncode == 1
