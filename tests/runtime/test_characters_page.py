"""docs/characters.md: its files are read, and its prompt is the one that they give."""

import re
from pathlib import Path

import pytest

from runtime.ask import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "characters.md").read_text(encoding="utf-8")


def block(language, number=0):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)
    return [text for named, text in fenced if named == language][number]


@pytest.fixture
def shown(tmp_path, monkeypatch, capsys):
    """What the command of the page prints, and what it tells on standard error."""
    (tmp_path / "mira.toml").write_text(block("toml"), encoding="utf-8")
    (tmp_path / "village.json").write_text(block("json"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    text, options = re.fullmatch(r'python -m runtime\.ask "(.*)" (.*)\n', block("")).groups()
    assert main([text, *options.split()]) == 0
    return capsys.readouterr()


def test_the_prompt_is_the_one_on_the_page(shown):
    assert shown.out == block("text")


def test_and_so_is_what_it_tells_of_it(shown):
    # Another pocket model may have another vocabulary.
    assert re.sub(r"\d+", "N", shown.err) == re.sub(r"\d+", "N", block("text", 1))
