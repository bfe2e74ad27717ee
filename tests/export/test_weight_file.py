"""The weights file: gone on with after an interruption, begun anew where it belongs to something else."""

from dataclasses import dataclass

import pytest

from export.config import ExportOptions
from export.errors import ExportError
from export.pipeline import export_checkpoint
from export.weight_file import JOURNAL_FILE, Layout, Place, check_disk
from export.weight_reader import WeightReader
from runtime.bundle import BundleManifest


class Interrupted:
    """A reader of weights that stops after some tensors, as Ctrl-C or a full disk does."""

    def __init__(self, monkeypatch, after, error):
        self.read = []
        original = WeightReader.parts

        def parts(reader, name):
            if len(self.read) == after:
                raise error
            self.read.append(name)
            yield from original(reader, name)

        monkeypatch.setattr(WeightReader, "parts", parts)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A checkpoint with weights that are not read before the graph is simplified."""
    from tests.checkpoints import random_model, save_checkpoint, tiny_config

    config = tiny_config("gelu_pytorch_tanh", layer_types=("full_attention",))
    config.text_config.moe_intermediate_size = 512
    config.text_config.vocab_size = 4096
    return save_checkpoint(random_model(config), tmp_path_factory.mktemp("large") / "checkpoint")


@dataclass(frozen=True)
class Whole:
    """An export that nothing interrupted: its manifest, and how often a tensor was read."""

    manifest: BundleManifest
    reads: int


@pytest.fixture(scope="module")
def whole(large, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        reader = Interrupted(patch, after=10_000, error=KeyboardInterrupt())
        summary = export_checkpoint(ExportOptions(large, tmp_path_factory.mktemp("whole") / "out"))
    return Whole(summary.manifest, len(reader.read))


def partial(tmp_path):
    return tmp_path / ".out.partial"


def interrupt(large, whole, tmp_path, error):
    """Export until all tensors but the last are read."""
    with pytest.MonkeyPatch.context() as patch:
        Interrupted(patch, after=whole.reads - 1, error=error)
        with pytest.raises((KeyboardInterrupt, ExportError)):
            export_checkpoint(ExportOptions(large, tmp_path / "out"))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_export_goes_on_and_gives_the_same_bundle(large, whole, tmp_path, error):
    interrupt(large, whole, tmp_path, error)
    assert (partial(tmp_path) / JOURNAL_FILE).exists()
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        reader = Interrupted(patch, after=10_000, error=error)
        manifest = export_checkpoint(ExportOptions(large, tmp_path / "out"), lines.append).manifest
    assert any(line.startswith("going on:") for line in lines)
    assert len(reader.read) < whole.reads
    assert manifest.files["step.onnx.data"] == whole.manifest.files["step.onnx.data"]
    assert not partial(tmp_path).exists()
    # The journal is not a part of the bundle.
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*manifest.files, "bundle.json"}


@pytest.mark.parametrize("spoil", ["other options", "damaged journal", "cut off"])
def test_what_does_not_belong_to_this_export_is_written_anew(large, whole, tmp_path, spoil):
    interrupt(large, whole, tmp_path, KeyboardInterrupt())
    journal = partial(tmp_path) / JOURNAL_FILE
    assert len(journal.read_text(encoding="utf-8").splitlines()) > 1
    if spoil == "damaged journal":
        journal.write_text("{", encoding="utf-8")
    if spoil == "cut off":
        (partial(tmp_path) / "step.onnx.data").write_bytes(b"")
    options = ExportOptions(large, tmp_path / "out", linear="int8" if spoil == "other options" else "fp32")
    lines = []
    summary = export_checkpoint(options, lines.append)
    assert not any(line.startswith("going on:") for line in lines)
    written = summary.manifest.files["step.onnx.data"]
    assert (written == whole.manifest.files["step.onnx.data"]) == (spoil != "other options")


def test_a_refused_export_leaves_nothing(large, whole, tmp_path):
    interrupt(large, whole, tmp_path, ExportError("a tensor is damaged", "Download it again"))
    assert not partial(tmp_path).exists()


def test_a_disk_without_room_is_refused_before_anything_is_written(tmp_path):
    layout = Layout({"weight": Place(0, 1 << 60)}, 1 << 60)
    with pytest.raises(ExportError, match=r"needs 1,152,921,504\.6 GB"):
        check_disk(tmp_path / "not" / "there", layout)
    check_disk(tmp_path, Layout({}, 0))
