"""Bundles cut into slices after they were exported whole, which spares a second trace of the same model."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import onnx_ir

from export.graph_writer import write_graphs
from export.trace import TracedStep
from runtime.bundle import GRAPH_FILE, MANIFEST_FILE, WEIGHTS_FILE, FileRecord, bundle_files, load_bundle


def traced_step(bundle: Path) -> TracedStep:
    """The whole graph of a bundle as it came from the tracer."""
    model = onnx_ir.load(bundle / GRAPH_FILE)
    values = {value.name: value for node in model.graph for value in node.outputs}
    layers = len(load_bundle(bundle).manifest.geometry.layers)
    return TracedStep(model, tuple(values[f"hidden_{number}"] for number in range(1, layers + 1)))


def cut_bundle(bundle: Path, out: Path, slices: int) -> Path:
    """Write to `out` what an export of the same checkpoint with `--slices` gives, and return `out`."""
    manifest = load_bundle(bundle).manifest
    out.mkdir()
    shutil.copy(bundle / WEIGHTS_FILE, out)
    signatures = write_graphs(out, traced_step(bundle), manifest.geometry, slices)
    names = bundle_files(slices)
    for name in names:
        if not (out / name).exists():
            shutil.copy(bundle / name, out)
    manifest = replace(manifest, files={name: record(out / name) for name in names}, slices=signatures)
    (out / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8")
    return out


def record(file: Path) -> FileRecord:
    """What the manifest says of a file."""
    content = file.read_bytes()
    return FileRecord(len(content), hashlib.sha256(content).hexdigest())
