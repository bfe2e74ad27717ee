"""What README and docs tell people to do can be done."""

import importlib.util
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "bindings").rglob("README.md")),
    *sorted((ROOT / "samples").rglob("README.md")),
]


def blocks(language):
    """Fenced blocks of the README in a language; "" for those in none, which are commands."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def commands():
    """Every `python` command in the README, in blocks and in the text."""
    found = [line for block in blocks("") for line in block.splitlines()] + re.findall(r"`(python [^`]+)`", README)
    return sorted({line for line in found if line.startswith("python ")})


def help_of(words):
    # Up to the first option: what stands there may be a subcommand with a help of its own.
    start = list(itertools.takewhile(lambda word: not word.startswith("--"), words))
    done = subprocess.run([sys.executable, *start, "--help"], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def test_there_are_commands_to_check():
    assert "python tools/quickstart.py" in commands()
    assert "python tools/test.py" in commands()
    assert len(commands()) > 8


@pytest.mark.parametrize("command", commands())
def test_every_command_exists_with_all_its_options(command):
    words = command.split()[1:]
    if words[0] == "-m":
        assert importlib.util.find_spec(words[1]) is not None
    else:
        assert (ROOT / words[0]).is_file()
    options = {word for word in words if word.startswith("--")}
    if options:
        text = help_of(words)
        assert {option for option in options if option not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("block", blocks("python"), ids=["library", "sidecar"])
def test_the_python_examples_run_as_they_stand(block, tmp_path, monkeypatch):
    (npc,) = blocks("toml")
    (tmp_path / "my_npc.toml").write_text(npc, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
