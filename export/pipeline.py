"""One export from end to end."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import onnxruntime
import torch
import transformers

from export.bundle_writer import check_out, new_bundle_folder, write_bundle
from export.checkpoint import Checkpoint, open_checkpoint
from export.config import ExportOptions
from export.errors import ExportError
from export.estimate import Estimate, estimate
from export.geometry import geometry_of
from export.lora_merge import describe_lora
from export.lowering import check_lowering
from export.optimum_config import exporter_config_for
from export.skeleton import build_skeleton
from export.stored import stored_by
from export.trace import TracedStep, trace
from export.verify import VerifyReport, describe, verify
from export.weight_file import Layout, WeightFile, check_disk, lay_out
from export.weight_plan import WeightPlan
from export.weight_reader import WeightReader
from runtime.bundle import BundleManifest, load_bundle
from runtime.version import __version__

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What an export made, or with `dry_run` would make.

    Attributes:
        out: folder of the bundle.
        manifest: what its bundle.json says, None with `dry_run`.
        estimate: what was foreseen before anything was written.
        seconds: how long it took.
        verified: the comparison with transformers, None without `verify`.
    """

    out: Path
    manifest: BundleManifest | None
    estimate: Estimate
    seconds: float
    verified: VerifyReport | None


def export_checkpoint(options: ExportOptions, report: Report = lambda line: None) -> ExportSummary:
    """Turn a checkpoint into a bundle; `report` gets a line at each stage, and now and then while weights are written.

    Everything that can be refused without reading the weights is refused first. `options.out` appears, or is replaced,
    only when the new bundle is whole and (with `options.verify`) proven. The weights are read, quantised and written
    piece by piece, so that memory does not grow with the checkpoint; only `options.verify` loads all of it, in fp32.

    Raises:
        ExportError: the checkpoint, the output folder or the result is not as it has to be.
    """
    started = time.monotonic()
    check_out(options.out)
    report(f"reading {options.checkpoint}")
    checkpoint = open_checkpoint(options.checkpoint, options.lora)
    layers = len(geometry_of(checkpoint.config).layers)
    if options.slices > layers + 1:
        raise ExportError(
            f"slices is {options.slices}, but the model has {layers} layers and a head to cut between",
            f"Give 1 to {layers + 1}",
        )
    check_lowering(checkpoint.config.text_config, options)
    if checkpoint.adapter is not None:
        report(describe_lora(checkpoint.adapter))
    report(f"lowering: experts {options.experts}, linear layers {options.linear}, embeddings {options.embeddings}")
    skeleton = build_skeleton(checkpoint.config, options)
    plan = WeightPlan(
        stored_by(skeleton, checkpoint.config), WeightReader(checkpoint.folder, checkpoint.tensors, checkpoint.adapter)
    )
    report("tracing the step graph")
    step = trace(skeleton, exporter_config_for(checkpoint.config), plan)
    layout = lay_out(step.model.graph, plan.pending(step.model.graph))
    expected = estimate(layout, options)
    report(f"expected: {expected.describe()}")
    check_disk(options.out, layout)
    if options.dry_run:
        return ExportSummary(options.out, None, expected, time.monotonic() - started, None)
    with new_bundle_folder(options.out) as folder:
        manifest = _write(folder, checkpoint, step, layout, plan, options, report)
        report("checking that the bundle loads")
        _load(folder)
        verified = None
        if options.verify:
            report("running transformers and the bundle side by side")
            verified = verify(folder, checkpoint, options)
            report(f"largest differences: {describe(verified)}")
    return ExportSummary(options.out, manifest, expected, time.monotonic() - started, verified)


def _write(
    folder: Path,
    checkpoint: Checkpoint,
    step: TracedStep,
    layout: Layout,
    plan: WeightPlan,
    options: ExportOptions,
    report: Report,
) -> BundleManifest:
    report("writing the weights")
    WeightFile(folder, layout, _key(checkpoint, options, layout), report).write(step.model.graph, plan)
    report("writing the bundle")
    return write_bundle(folder, step, checkpoint, options)


def _key(checkpoint: Checkpoint, options: ExportOptions, layout: Layout) -> str:
    """Everything that the bytes of the weights file depend on."""
    versions = [__version__, torch.__version__, transformers.__version__]
    settings = {name: str(value) for name, value in asdict(options).items() if name not in ("out", "verify", "name")}
    places = {name: (place.offset, place.length) for name, place in layout.places.items()}
    told = json.dumps([checkpoint.revision, versions, settings, places], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8")).hexdigest()


def _load(folder: Path) -> None:
    """Have ONNX Runtime check the graphs. Weights stay on the disk: nothing is unpacked, and nothing computed."""
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.add_session_config_entry("session.disable_prepacking", "1")
    for name in load_bundle(folder).graphs:
        try:
            onnxruntime.InferenceSession(str(folder / name), settings, providers=["CPUExecutionProvider"])
        # The library's exceptions share no public base class.
        except Exception as error:
            raise ExportError(
                f"ONNX Runtime {onnxruntime.__version__} cannot load {name}: {error}",
                "Use the versions of the extra `export`; if they are in use, this is a fault of the exporter",
            ) from error
