"""Checkpoints that a test may spoil, and the exporter as it is called from a shell."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from export.__main__ import main


@dataclass(frozen=True)
class Spoilable:
    """A checkpoint of the test's own."""

    path: Path

    def edit_json(self, name: str, change: Callable[[dict], None]) -> None:
        file = self.path / name
        data = json.loads(file.read_text(encoding="utf-8"))
        change(data)
        file.write_text(json.dumps(data), encoding="utf-8")

    def edit_tensors(self, change: Callable[[dict], None]) -> None:
        file = self.path / "model.safetensors"
        tensors = load_file(file)
        change(tensors)
        save_file(tensors, file, metadata={"format": "pt"})


@pytest.fixture
def checkpoint(tiny_checkpoint, tmp_path) -> Spoilable:
    return Spoilable(Path(shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")))


@pytest.fixture
def refused(tmp_path, capsys) -> Callable[..., str]:
    """Run an export that has to be refused; return the error line, after checking that nothing was left behind."""

    def run(checkpoint: Path, *arguments: str, out: Path = tmp_path / "out", code: int = 2) -> str:
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        folders = {path for path in tmp_path.rglob("*") if path.is_dir()}
        assert main([str(checkpoint), str(out), *arguments]) == code
        printed = capsys.readouterr()
        assert printed.out == ""
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        assert {path for path in tmp_path.rglob("*") if path.is_dir()} == folders
        *progress, error = printed.err.splitlines()
        assert error.startswith("error: ")
        assert not any(line.startswith("error") for line in progress)
        return error

    return run
