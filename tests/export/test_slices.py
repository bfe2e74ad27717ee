"""Slices as files: what each of them holds, and what they hand on."""

import math

import onnx
import pytest

from export.balance import balanced_borders
from export.slices import cut
from runtime.bundle import load_bundle
from tests.cut_bundles import traced_step

HIDDEN_SIZE = 512
EMBEDDING = "decoder.embed_tokens.weight"


def graphs_of(folder):
    return [onnx.load(folder / name, load_external_data=False).graph for name in load_bundle(folder).graphs]


def weights_of(graph):
    """Name and place in the weights file of each weight."""
    return {
        tensor.name: {entry.key: int(entry.value) for entry in tensor.external_data if entry.key != "location"}
        for tensor in graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    }


def products(model):
    """Multiplications with weights that a position takes; for experts as if every one of them were chosen."""
    return sum(
        math.prod(value.shape)
        for node in model.graph
        if node.op_type in ("Gemm", "MatMul", "MoE")
        for value in node.inputs
        if value is not None and value.is_initializer()
    )


@pytest.fixture(scope="module")
def whole(wide_bundle):
    return traced_step(wide_bundle)


@pytest.mark.parametrize("slices", [2, 3, 4])
def test_every_weight_is_read_by_one_slice_and_the_embedding_by_the_first_and_the_last(
    wide_bundle, wide_slices, slices
):
    parts = list(map(weights_of, graphs_of(wide_slices[slices])))
    readers = {}
    for name, place in weights_of(graphs_of(wide_bundle)[0]).items():
        assert all(part[name] == place for part in parts if name in part)
        # Smaller are only norms, which are stored once where they are equal by chance.
        if place["length"] > 4 * HIDDEN_SIZE:
            readers[name] = [number for number, part in enumerate(parts) if name in part]
    assert readers.pop(EMBEDDING) == [0, slices - 1]
    assert {len(numbers) for numbers in readers.values()} == {1}


@pytest.mark.parametrize("slices", [2, 3, 4])
def test_there_is_one_weights_file_and_it_is_the_whole_graph_s(wide_bundle, wide_slices, slices):
    files = {path.name for path in wide_slices[slices].iterdir()}
    graphs = {f"step.{number}.onnx" for number in range(slices)}
    assert files == graphs | {"step.onnx.data", "bundle.json", "tokenizer.json", "chat_template.jinja"}
    weights = (wide_slices[slices] / "step.onnx.data").read_bytes()
    assert weights == (wide_bundle / "step.onnx.data").read_bytes()


def test_no_float_is_computed_twice(wide_bundle, wide_slices):
    made = [{name for node in graph.node for name in node.output} for graph in graphs_of(wide_slices[4])]
    (whole,) = graphs_of(wide_bundle)
    assert set().union(*made) == {name for node in whole.node for name in node.output}
    kinds = {value.name: value.type.tensor_type.elem_type for value in whole.value_info}
    twice = {name for name in set().union(*made) if sum(name in part for part in made) > 1}
    assert {kinds[name] for name in twice} == {onnx.TensorProto.INT64}


def test_little_is_handed_on(tiny_slices):
    """Hidden states, and what all layers of a kind share; sizes are read again off the inputs' shapes."""
    first, second, head = load_bundle(tiny_slices[3]).manifest.slices
    assert [spec.name for spec in head.inputs if spec.name.startswith("hidden")] == ["hidden_2"]
    for giving, taking in ((first, second), (second, head)):
        handed_on = {spec.name for spec in giving.outputs} & {spec.name for spec in taking.inputs}
        assert any(name.startswith("hidden_") for name in handed_on)
        assert len(handed_on) <= 6
        assert {spec.dtype for spec in giving.outputs} <= {"float32", "bool"}


def test_the_longest_slice_has_its_share_of_the_arithmetic(whole):
    every = [products(part) for part in cut(whole.model, whole.borders)]
    assert sum(every) == products(whole.model)
    for slices in (2, 3, 4):
        borders = [whole.borders[first - 1] for first in balanced_borders(every, slices)]
        parts = [products(part) for part in cut(whole.model, borders)]
        assert len(parts) == slices
        assert sum(parts) == sum(every)
        assert max(parts) / sum(every) < 1 / slices + 0.1


@pytest.mark.parametrize(
    ("slices", "complaint"),
    [
        ("0", "slices is 0. Give 1 for a whole graph, or more"),
        ("4", "slices is 4, but the model has 2 layers and a head to cut between. Give 1 to 3"),
    ],
)
def test_a_number_of_slices_that_cannot_be_is_refused(checkpoint, refused, slices, complaint):
    assert complaint in refused(checkpoint.path, "--slices", slices)
