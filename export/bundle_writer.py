"""The folder of a bundle: built beside its place, and moved there only when it is whole."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnx
import torch
import transformers

from export.checkpoint import Checkpoint
from export.config import ExportOptions
from export.errors import ExportError
from export.geometry import geometry_of
from export.graph_writer import write_graphs
from export.trace import TracedStep
from export.weight_file import JOURNAL_FILE
from runtime.bundle import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST_FILE,
    TEMPLATE_FILE,
    TOKENIZER_FILE,
    BundleManifest,
    FileRecord,
    GraphSignature,
    Quantisation,
    Source,
    bundle_files,
    step_signature,
)
from runtime.records import RecordError
from runtime.version import __version__


def check_out(out: Path) -> None:
    """Raise ExportError if `out` is something other than a free place or a bundle that may be replaced."""
    if out.is_dir():
        if any(out.iterdir()) and not (out / MANIFEST_FILE).is_file():
            raise ExportError(
                f"{out} exists and is not a bundle (it has no {MANIFEST_FILE})", "Choose another output folder"
            )
    elif out.exists():
        raise ExportError(f"{out} exists and is not a folder", "Choose another output folder")


@contextmanager
def new_bundle_folder(out: Path) -> Iterator[Path]:
    """Give a folder beside `out`; it takes the place of `out` if the block ends well, else it is removed.

    Where an interruption or a full disk ends the block while the weights are being written, the folder stays, and the
    next one for the same `out` goes on with it.

    Raises:
        ExportError: `out` is not free (see `check_out`), or the folder cannot be made or moved.
    """
    check_out(out)
    out = out.resolve()
    created = [parent for parent in out.parents if not parent.exists()]
    building = out.parent / f".{out.name}.partial"
    keep = False
    try:
        try:
            building.mkdir(parents=True, exist_ok=True)
            yield building
            _move_into_place(building, out)
        except (OSError, KeyboardInterrupt) as error:
            keep = (building / JOURNAL_FILE).exists()
            if isinstance(error, KeyboardInterrupt):
                raise
            again = "; the same command goes on from here" if keep else ""
            raise ExportError(
                f"{out} cannot be written ({error.strerror or error})", f"Check the disk's space and permissions{again}"
            ) from error
    except BaseException:
        if not keep:
            shutil.rmtree(building, ignore_errors=True)
            for parent in created:  # the deepest first
                if parent.exists() and not any(parent.iterdir()):
                    parent.rmdir()
        raise


def write_bundle(folder: Path, step: TracedStep, checkpoint: Checkpoint, options: ExportOptions) -> BundleManifest:
    """Write graphs, tokenizer, chat template and, last, the manifest beside the weights in `folder`.

    Raises:
        ExportError: the checkpoint has values that a manifest cannot state.
        OSError: a file cannot be written.
    """
    slices = write_graphs(folder, step, geometry_of(checkpoint.config), options.slices)
    (folder / TOKENIZER_FILE).write_bytes(checkpoint.text.tokenizer_json)
    (folder / TEMPLATE_FILE).write_text(checkpoint.text.chat_template, encoding="utf-8", newline="")
    try:
        files = {name: _record(folder / name) for name in bundle_files(len(slices))}
        manifest = _manifest(checkpoint, options, files, slices)
    except RecordError as error:
        raise ExportError(f"the checkpoint does not fit a bundle: {error}", "Correct its config files") from error
    (folder / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8", newline="\n")
    return manifest


def _manifest(
    checkpoint: Checkpoint,
    options: ExportOptions,
    files: dict[str, FileRecord],
    slices: tuple[GraphSignature, ...],
) -> BundleManifest:
    geometry = geometry_of(checkpoint.config)
    return BundleManifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        name=options.bundle_name,
        licence=options.licence,
        source=Source(checkpoint.config.model_type, checkpoint.folder.resolve().name, checkpoint.revision),
        exporter={
            "palaver": __version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "onnx": onnx.__version__,
        },
        target=options.target,
        left_out=("vision",),
        geometry=geometry,
        quantisation=Quantisation(options.experts, options.linear, options.embeddings, options.block_size),
        signature=step_signature(geometry),
        generation=checkpoint.generation,
        tokens=checkpoint.text.tokens,
        files=files,
        slices=slices,
    )


def _record(path: Path) -> FileRecord:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return FileRecord(path.stat().st_size, digest)


def _move_into_place(building: Path, out: Path) -> None:
    """Rename `building` to `out`; an older bundle there is put aside first and comes back if that fails."""
    aside = building.with_suffix(".old")
    had_one = out.exists()
    if had_one:
        out.rename(aside)
    try:
        building.rename(out)
    except BaseException:
        if had_one:
            aside.rename(out)
        raise
    if had_one:
        shutil.rmtree(aside, ignore_errors=True)
