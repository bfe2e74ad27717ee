"""The exported graph: what is in its two files, and the shapes it runs with."""

import numpy as np
import onnx
import onnxruntime
import pytest

from runtime.bundle import load_bundle, step_signature
from tests.checkpoints import VOCAB_SIZE

HIDDEN_SIZE = 64


@pytest.fixture(scope="module")
def graph(tiny_bundle):
    return onnx.load(tiny_bundle / "step.onnx", load_external_data=False)


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return onnxruntime.InferenceSession(str(tiny_bundle / "step.onnx"), providers=["CPUExecutionProvider"])


def run(session, batch, length, prefix, rows, denoise, pad_length=0):
    random = np.random.default_rng(0)
    feed = {
        "input_ids": random.integers(0, VOCAB_SIZE, (batch, length)),
        "soft_embeddings": random.standard_normal((batch, length, HIDDEN_SIZE), dtype=np.float32),
        "denoise": np.array(denoise),
        "pad_length": np.full(batch, pad_length, dtype=np.int64),
        "logit_rows": np.arange(rows, dtype=np.int64),
        "temperature": np.full(batch, 0.5, dtype=np.float32),
    }
    for spec in session.get_inputs():
        if spec.name.startswith("past_"):
            shape = (batch, spec.shape[1], prefix, spec.shape[3])
            feed[spec.name] = random.standard_normal(shape, dtype=np.float32)
    feed["uniform"] = random.random((batch, rows), dtype=np.float32)
    feed["scored_ids"] = random.integers(0, VOCAB_SIZE, (batch, rows))
    return dict(zip([spec.name for spec in session.get_outputs()], session.run(None, feed), strict=True))


def test_inputs_and_outputs_are_those_of_the_bundle_format(session, tiny_bundle):
    signature = step_signature(load_bundle(tiny_bundle).manifest.geometry)
    for specs, found in ((signature.inputs, session.get_inputs()), (signature.outputs, session.get_outputs())):
        assert [(spec.name, list(spec.shape)) for spec in specs] == [(value.name, value.shape) for value in found]


@pytest.mark.parametrize("denoise", [False, True])
@pytest.mark.parametrize(
    ("batch", "length", "prefix", "rows"),
    [(1, 16, 0, 16), (1, 1, 0, 0), (1, 1, 40, 1), (3, 16, 5, 16), (2, 7, 0, 0), (1, 16, 100, 3), (4, 33, 1, 33)],
)
def test_any_batch_length_prefix_and_rows(session, batch, length, prefix, rows, denoise):
    outputs = run(session, batch, length, prefix, rows, denoise)
    assert all(np.isfinite(output).all() for output in outputs.values())
    assert outputs["sampled"].shape == outputs["argmax"].shape == outputs["entropy"].shape == (batch, rows)
    assert outputs["log_likelihood"].shape == (batch, rows)
    assert outputs["next_soft_embeddings"].shape == (batch, rows, HIDDEN_SIZE)
    assert outputs["present_key_0"].shape == (batch, 2, length, 16)
    assert outputs["present_value_1"].shape == (batch, 1, length, 32)


def test_more_padding_than_positions_stays_finite(session):
    outputs = run(session, batch=1, length=4, prefix=2, rows=4, denoise=True, pad_length=50)
    assert all(np.isfinite(output).all() for output in outputs.values())


def test_rows_choose_positions(session):
    every = run(session, batch=2, length=9, prefix=3, rows=9, denoise=True)
    first = run(session, batch=2, length=9, prefix=3, rows=4, denoise=True)
    assert first["argmax"].tolist() == every["argmax"][:, :4].tolist()


def test_long_positions(session):
    """Far beyond any table: rotary embeddings are computed from the position."""
    outputs = run(session, batch=1, length=4, prefix=5000, rows=4, denoise=True)
    assert np.isfinite(outputs["entropy"]).all()


def test_it_loads_without_a_warning(tiny_bundle, capfd):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 2
    onnxruntime.InferenceSession(str(tiny_bundle / "step.onnx"), options, providers=["CPUExecutionProvider"])
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


def test_all_large_weights_lie_in_the_one_external_file(graph):
    for tensor in graph.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            assert {entry.value for entry in tensor.external_data if entry.key == "location"} == {"step.onnx.data"}
        else:
            assert len(tensor.raw_data) <= 256


def test_no_weight_is_stored_twice(graph, tiny_bundle):
    """The embedding serves three times (tokens, head, soft embeddings), both passes share the layers."""
    external = [tensor for tensor in graph.graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    shapes = [tuple(tensor.dims) for tensor in external]
    assert shapes.count((VOCAB_SIZE, HIDDEN_SIZE)) == 1 and shapes.count((HIDDEN_SIZE, VOCAB_SIZE)) == 0
    loaded = onnx.load(tiny_bundle / "step.onnx")
    contents = [tensor.raw_data for tensor in loaded.graph.initializer if len(tensor.raw_data) >= 256]
    assert len(contents) == len(set(contents))
    # Nothing but those weights, and what aligns them.
    assert (tiny_bundle / "step.onnx.data").stat().st_size < 1.05 * sum(map(len, contents)) + 4096


def test_no_weight_is_transposed_when_the_graph_is_loaded(graph):
    weights = {tensor.name for tensor in graph.graph.initializer}
    transposed = [node for node in graph.graph.node if node.op_type == "Transpose" and node.input[0] in weights]
    assert transposed == []


def test_experts_are_fused_and_quantised(graph):
    operators = [(node.domain, node.op_type) for node in graph.graph.node]
    assert operators.count(("com.microsoft", "QMoE")) == 2


def test_the_graph_file_is_small_and_names_no_folder(tiny_bundle, graph):
    content = (tiny_bundle / "step.onnx").read_bytes()
    assert len(content) < 150_000
    for trace in (b"site-packages", b"forward(", b"/export/", str(tiny_bundle.parent).encode()):
        assert trace not in content
