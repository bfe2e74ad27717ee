"""The traced step graph cut between layers: slices that, run one after the other, compute the same numbers.

Nodes are moved, not made anew, so each result is that of the whole graph to the last bit. Sizes are the exception:
whole numbers are computed again in each slice from the shapes of its inputs, which costs nothing, and only what has
cost something (hidden states, masks, rotary embeddings) is handed on.
"""

from collections.abc import Sequence

import onnx_ir

from runtime.signature import GraphSignature, TensorSpec


def cut(model: onnx_ir.Model, borders: Sequence[onnx_ir.Value]) -> tuple[onnx_ir.Model, ...]:
    """Return one model more than there are `borders`, hidden states of `model` in the order of its layers.

    Weights are not copied; one that several slices read belongs to each of them. `model` is left as it is.
    """
    graph = model.graph
    made: set[onnx_ir.Value] = set()
    regions = []
    for border in (*borders, None):
        goals = [value for value in graph.outputs if value not in made] if border is None else [border]
        inputs, values = _region(goals, made)
        regions.append((inputs, values - made))
        made |= values
    position = {value: index for index, value in enumerate(_values(graph))}
    slices = []
    wanted = set(graph.outputs)
    for inputs, values in reversed(regions):
        outputs = sorted(values & wanted, key=position.__getitem__)
        part = onnx_ir.convenience.extract(graph, sorted(inputs, key=position.__getitem__), outputs)
        slices.append(onnx_ir.Model(part, ir_version=model.ir_version))
        wanted |= inputs
    return tuple(reversed(slices))


def signature_of(model: onnx_ir.Model) -> GraphSignature:
    """Inputs and outputs of a traced model or of a slice of it."""
    return GraphSignature(
        tuple(_spec(value) for value in model.graph.inputs), tuple(_spec(value) for value in model.graph.outputs)
    )


def _region(goals: list[onnx_ir.Value], made: set[onnx_ir.Value]) -> tuple[set[onnx_ir.Value], set[onnx_ir.Value]]:
    """What a slice takes in, and what it computes, to get from the values that are `made` to the `goals`."""
    inputs: set[onnx_ir.Value] = set()
    values: set[onnx_ir.Value] = set()
    to_visit = list(goals)
    while to_visit:
        value = to_visit.pop()
        if value is None or value.is_initializer() or value in inputs or value in values:
            continue
        node = value.producer()
        if node is None or (value in made and not value.dtype.is_integer()):
            inputs.add(value)
        else:
            values.update(node.outputs)
            to_visit.extend(node.inputs)
    return inputs, values


def _values(graph: onnx_ir.Graph) -> list[onnx_ir.Value]:
    return [*graph.inputs, *(value for node in graph for value in node.outputs)]


def _spec(value: onnx_ir.Value) -> TensorSpec:
    shape = tuple(size if isinstance(size, int) else str(size) for size in value.shape)
    return TensorSpec(value.name, value.dtype.numpy().name, shape)
