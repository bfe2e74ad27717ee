"""The step graph as files, whole or in slices, beside the file of its weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnx_ir

from export.balance import balanced_borders, measured_costs
from export.slices import cut, signature_of
from export.trace import TracedStep
from export.write_out import write_out
from runtime.bundle import Geometry, GraphSignature, graph_files
from runtime.step_graph import StepGraph
from runtime.version import __version__


def write_graphs(folder: Path, step: TracedStep, geometry: Geometry, slices: int) -> tuple[GraphSignature, ...]:
    """Write as many graphs as `slices` says beside their weights; return their signatures, none for a whole graph.

    Raises:
        OSError: a file cannot be written.
    """
    model = step.model
    write_out(model)
    if slices == 1:
        _write(folder, (model,))
        return ()
    borders = step.borders
    if slices <= len(borders):
        with _written(folder, cut(model, borders)) as graph:
            costs = measured_costs(graph, geometry)
        borders = tuple(borders[first - 1] for first in balanced_borders(costs, slices))
    return tuple(_write(folder, cut(model, borders)).values())


def _write(folder: Path, models: tuple[onnx_ir.Model, ...]) -> dict[str, GraphSignature]:
    """Write one file a model; return its name and the model's signature."""
    names = graph_files(len(models))
    for name, model in zip(names, models, strict=True):
        model.producer_name, model.producer_version = "palaver", __version__
        onnx_ir.save(model, folder / name)
    return dict(zip(names, map(signature_of, models), strict=True))


@contextmanager
def _written(folder: Path, models: tuple[onnx_ir.Model, ...]) -> Iterator[StepGraph]:
    """Models as files for as long as they are needed: loading them needs the weights beside them."""
    signatures = _write(folder, models)
    yield StepGraph(folder, signatures)
    for name in signatures:
        (folder / name).unlink()
