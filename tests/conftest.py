"""Fixtures that more than one folder of tests uses."""

from pathlib import Path

import hypothesis
import pytest

# A busy machine may stop a test for longer than hypothesis' own limit.
hypothesis.settings.register_profile("palaver", deadline=None)
hypothesis.settings.load_profile("palaver")


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


@pytest.fixture(scope="session")
def tiny_slices(tiny_bundle, tmp_path_factory) -> dict[int, Path]:
    """Folders of `tiny_bundle` in 2 slices and in 3, two layers and the head; read them, do not change them."""
    return _cut(tiny_bundle, tmp_path_factory.mktemp("tiny"), (2, 3))


@pytest.fixture(scope="session")
def wide_bundle(tmp_path_factory) -> Path:
    """Folder of a bundle with three layers in fp32 and more than 60 MB of weights; read it, do not change it."""
    from export.config import ExportOptions
    from export.pipeline import export_checkpoint
    from tests.checkpoints import THREE_LAYERS, random_model, save_checkpoint, tiny_config

    config = tiny_config(layer_types=THREE_LAYERS)
    # Such that layers and head cost about the same: the first layer has the self-conditioning with it.
    config.text_config.vocab_size = 6144
    config.text_config.hidden_size = 512
    config.text_config.intermediate_size = 2048
    folder = tmp_path_factory.mktemp("wide")
    checkpoint = save_checkpoint(random_model(config), folder / "checkpoint")
    return export_checkpoint(ExportOptions(checkpoint, folder / "bundle", experts="fp32")).out


@pytest.fixture(scope="session")
def wide_slices(wide_bundle, tmp_path_factory) -> dict[int, Path]:
    """Folders of `wide_bundle` in 2, 3 and 4 slices; read them, do not change them."""
    return _cut(wide_bundle, tmp_path_factory.mktemp("wide"), (2, 3, 4))


def _cut(bundle: Path, folder: Path, counts: tuple[int, ...]) -> dict[int, Path]:
    from tests.cut_bundles import cut_bundle

    return {slices: cut_bundle(bundle, folder / str(slices), slices) for slices in counts}
