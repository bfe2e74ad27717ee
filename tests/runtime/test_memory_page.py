"""docs/memory.md: its examples run, and its saved text is one."""

import re
from pathlib import Path

from runtime.memory import Memory, condensed
from runtime.saved_turns import read_save, save_text

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def run(program):
    names = {}
    exec(compile(program, "docs/memory.md", "exec"), names)
    return names


def test_a_conversation_with_a_sidecar_and_one_in_process():
    with_sidecar, in_process, *_ = blocks("python")
    for names in (run(with_sidecar), run(in_process)):
        npc_id, memory = read_save(names["saved"])
        assert npc_id == "smith"
        assert len(memory.turns) <= 2


def test_the_summariser():
    tell = run(blocks("python")[-1])["tell"]
    memory = Memory((("What do you sell?", "Iron."), ("And ale?", "No.")), "They met.")
    assert condensed(memory, 0, tell).summary == "They met. The player asked: What do you sell?, And ale?"


def test_the_saved_text_is_one():
    (data,) = blocks("json")
    assert save_text(*read_save(data)) == data.strip()
