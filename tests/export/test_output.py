"""The output folder: whole or not there, and never somebody else's."""

import pytest

from export.bundle_writer import new_bundle_folder
from export.config import ExportOptions
from export.errors import ExportError
from export.pipeline import export_checkpoint


def test_a_folder_that_is_not_a_bundle_is_left_alone(checkpoint, refused, tmp_path):
    out = tmp_path / "photos"
    out.mkdir()
    (out / "cat.jpg").write_bytes(b"meow")
    assert "photos exists and is not a bundle" in refused(checkpoint.path, out=out)


def test_a_file_is_left_alone(checkpoint, refused, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("keep me", encoding="utf-8")
    assert "notes.txt exists and is not a folder" in refused(checkpoint.path, out=out)


def test_the_checkpoint_itself_is_left_alone(checkpoint, refused):
    assert "is not a bundle" in refused(checkpoint.path, out=checkpoint.path)


@pytest.mark.parametrize("stage", ["reading", "tracing the step graph"])
def test_an_interrupted_export_leaves_nothing(checkpoint, tmp_path, stage):
    def interrupt(line):
        if line.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_checkpoint(ExportOptions(checkpoint.path, tmp_path / "new" / "deep" / "out"), interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]


def test_a_failed_block_removes_what_it_wrote_and_keeps_the_old_bundle(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "bundle.json").write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError), new_bundle_folder(out) as folder:
        (folder / "step.onnx").write_bytes(b"half")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "bundle.json").read_text(encoding="utf-8") == "old"


def test_a_finished_block_replaces_the_old_bundle_as_a_whole(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "bundle.json").write_text("old", encoding="utf-8")
    (out / "left over").write_text("old", encoding="utf-8")
    with new_bundle_folder(out) as folder:
        (folder / "bundle.json").write_text("new", encoding="utf-8")
        assert (out / "bundle.json").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in out.iterdir()] == ["bundle.json"]
    assert (out / "bundle.json").read_text(encoding="utf-8") == "new"


def test_an_empty_folder_may_become_the_bundle(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with new_bundle_folder(out) as folder:
        (folder / "bundle.json").write_text("new", encoding="utf-8")
    assert [path.name for path in out.iterdir()] == ["bundle.json"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(ExportError, match="cannot be written"), new_bundle_folder(tmp_path / "file" / "out"):
        raise AssertionError("there is no folder to write into")


@pytest.mark.parametrize(
    ("option", "value"),
    [("experts", "int3"), ("linear", "fp16"), ("block_size", 128), ("target", "cuda")],
)
def test_options_out_of_range_are_refused(checkpoint, tmp_path, option, value):
    with pytest.raises(ExportError, match=option.replace("_", " ")):
        ExportOptions(checkpoint.path, tmp_path / "out", **{option: value})
