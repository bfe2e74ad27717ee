"""A script of any format, by the end of its name."""

from pathlib import Path

import pytest

from tools.train.script.read import read_script
from tools.train.script.sample import ScriptError

SAMPLE = Path(__file__).resolve().parents[4] / "samples" / "godot-tavern" / "script"


def test_a_file_of_no_known_format(fault):
    assert "lines.docx is of no format that is known" in fault("lines.docx", "Mira: Hi.")


def test_a_script_without_a_line(fault):
    assert "holds no line of a character (1 lines left out: names no speaker)" in fault(
        "s.yarn", "title: A\n---\nIt rains.\n===\n"
    )


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ScriptError, match=r"nowhere\.csv cannot be read"):
        read_script(tmp_path / "nowhere.csv")


def test_the_player_may_have_another_name(tmp_path):
    (tmp_path / "a.csv").write_text("speaker,line\nElena,Hi.\nMira,Ho.\n", encoding="utf-8")
    (sample,) = read_script(tmp_path, ["elena"]).samples
    assert (sample.speaker, sample.context) == ("Mira", ("Hi.",))


def test_the_sample_s_script():
    script = read_script(SAMPLE)
    assert len(script.samples) >= 300
    assert not script.left_out
    assert {sample.speaker for sample in script.samples} == {"Thora", "Harmund", "Hawen", "Borus"}
    assert all(sample.context for sample in script.samples if sample.speaker == "Harmund")
