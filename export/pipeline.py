"""One export from end to end."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.bundle_writer import check_out, new_bundle_folder, write_bundle
from export.checkpoint import Checkpoint, load_model, open_checkpoint
from export.config import ExportOptions
from export.errors import ExportError
from export.geometry import geometry_of
from export.lora_merge import describe_lora
from export.lowering import DENSE, expert_lowering, lower
from export.optimum_config import exporter_config_for
from export.step_model import StepModel
from export.trace import trace
from export.verify import VerifyReport, describe, verify
from runtime.bundle import BundleManifest, load_bundle
from runtime.session import StepSession

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What an export made.

    Attributes:
        out: folder of the bundle.
        manifest: what its bundle.json says.
        seconds: how long it took.
        verified: the comparison with transformers, None without `verify`.
    """

    out: Path
    manifest: BundleManifest
    seconds: float
    verified: VerifyReport | None

    @property
    def total_bytes(self) -> int:
        return sum(record.bytes for record in self.manifest.files.values())


def export_checkpoint(options: ExportOptions, report: Report = lambda line: None) -> ExportSummary:
    """Turn a checkpoint into a bundle; `report` gets a line at each stage.

    Everything that can be refused without reading the weights is refused first. `options.out` appears, or is replaced,
    only when the new bundle is whole and (with `options.verify`) proven.

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
    if expert_lowering(checkpoint.config.text_config, options) == DENSE:
        report("experts: exact and dense (every expert on every token), slower than a fused operator")
    with new_bundle_folder(options.out) as folder:
        manifest = _build(folder, checkpoint, options, report)
        report("checking that the bundle loads")
        StepSession(load_bundle(folder))
        verified = None
        if options.verify:
            report("running transformers and the bundle side by side")
            verified = verify(folder, checkpoint, options)
            report(f"largest differences: {describe(verified)}")
    return ExportSummary(options.out, manifest, time.monotonic() - started, verified)


def _build(folder: Path, checkpoint: Checkpoint, options: ExportOptions, report: Report) -> BundleManifest:
    """A function of its own, so that the model is released before the comparison loads another one."""
    report("loading the weights")
    if checkpoint.adapter is not None:
        report(describe_lora(checkpoint.adapter))
    model: Any = load_model(checkpoint)
    report(f"lowering: experts {options.experts}, linear layers {options.linear}")
    lower(model, options)
    report("tracing the step graph")
    step = trace(StepModel(model), exporter_config_for(checkpoint.config))
    report("writing the bundle")
    return write_bundle(folder, step, checkpoint, options)
