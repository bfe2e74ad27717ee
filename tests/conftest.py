"""Fixtures that more than one folder of tests uses."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory) -> Path:
    """Folder of a random two-layer checkpoint with silu experts; read it, do not change it."""
    # Imported here: most tests need no torch, and it takes seconds.
    from tests.checkpoints import random_model, save_checkpoint, tiny_config

    return save_checkpoint(random_model(tiny_config()), tmp_path_factory.mktemp("tiny") / "checkpoint")


@pytest.fixture(scope="session")
def tiny_bundle(tiny_checkpoint, tmp_path_factory) -> Path:
    """Folder of the bundle that `tiny_checkpoint` becomes by default (int4 experts); read it, do not change it."""
    from export.config import ExportOptions
    from export.pipeline import export_checkpoint

    options = ExportOptions(tiny_checkpoint, tmp_path_factory.mktemp("tiny") / "bundle", licence="Apache-2.0")
    return export_checkpoint(options).out
