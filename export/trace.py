"""The step module as an ONNX model."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import onnx_ir
import onnx_ir.passes.common as common_passes
import torch
from onnx_ir.passes import Sequential

from export.errors import ExportError
from export.optimum_config import DiffusionGemmaStepConfig
from export.step_model import StepModel
from export.weight_plan import WeightPlan

# The first with RMSNormalization.
OPSET = 23


@dataclass(frozen=True, slots=True)
class TracedStep:
    """A traced step.

    Attributes:
        model: with the inputs and outputs of the bundle format.
        borders: the hidden states in it that leave each layer, in order: where it can be cut.
    """

    model: onnx_ir.Model
    borders: tuple[onnx_ir.Value, ...]


def trace(step: StepModel, exporter_config: DiffusionGemmaStepConfig, plan: WeightPlan) -> TracedStep:
    """Trace `step` with the example inputs, names and dynamic axes of `exporter_config`.

    Args:
        step: as `build_skeleton` makes it.
        exporter_config: Optimum's description of it.
        plan: where the values come from; small ones are read here, so that the graph can be simplified.

    Raises:
        ExportError: the traced graph does not have the inputs and outputs that the bundle format asks for, or a weight
            that the plan does not know.
    """
    outputs = list(exporter_config.outputs)
    axes = {name: dict(sizes) for name, sizes in exporter_config.inputs.items()}
    with next(step.parameters()).fake_mode, torch.no_grad(), quiet_exporter():
        example = exporter_config.generate_dummy_inputs(framework="pt")
        program = torch.onnx.export(
            step,
            kwargs=_group_past(example),
            dynamo=True,
            dynamic_shapes=_group_past(axes),
            input_names=list(exporter_config.inputs),
            output_names=[*outputs, *exporter_config.borders],
            opset_version=OPSET,
            verbose=False,
            optimize=False,
        )
    plan.settle(program.model.graph)
    with quiet_exporter():
        program.optimize()
    model = program.model
    _check_names("input", [value.name for value in model.graph.inputs], list(exporter_config.inputs))
    _check_names("output", [value.name for value in model.graph.outputs], [*outputs, *exporter_config.borders])
    # The tracer notes the source line of every node; that is of no use to a host, and names folders of this machine.
    Sequential(
        common_passes.DeduplicateInitializersPass(),
        common_passes.RemoveUnusedNodesPass(),
        common_passes.ClearMetadataAndDocStringPass(),
    )(model)
    borders = tuple(model.graph.outputs[len(outputs) :])
    model.graph.outputs[len(outputs) :] = ()
    return TracedStep(model, borders)


def _group_past(values: dict[str, Any]) -> dict[str, Any]:
    """Gather the past_* entries, in order, into the one list that the step module takes."""
    grouped = {name: value for name, value in values.items() if not name.startswith("past_")}
    return {**grouped, "past": [value for name, value in values.items() if name.startswith("past_")]}


def _check_names(kind: str, found: list[str], expected: list[str]) -> None:
    if found != expected:
        wrong = sorted(set(found) ^ set(expected)) or ["their order"]
        raise ExportError(
            f"the traced graph has other {kind}s than the bundle format: {', '.join(wrong)}",
            "The installed torch traces the model differently; use the version in the extra `export`",
        )


@contextmanager
def quiet_exporter() -> Iterator[None]:
    """Keep torch's exporter from reporting its own deprecations and missing optional packages as ours."""
    disabled_before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled_before)
