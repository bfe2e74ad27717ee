"""Probabilities times an embedding that is stored in 8 bits, a few thousand rows at a time.

The embedding in fp32 would be the largest weight of all. A product with it in one piece would also be computed, from
constants alone, when the graph is loaded, and stay in memory.
"""

import numpy as np
import onnx_ir

from export.node_writer import NodeWriter

CHUNK_ROWS = 4096
"""Rows of the embedding that are in fp32 at a time."""


def write_expected_embedding(graph: onnx_ir.Graph, node: onnx_ir.Node) -> None:
    """Put a loop over pieces of the vocabulary in the place of `node`, an `EXPECTED_EMBEDDING`."""
    write = NodeWriter(graph, node)
    probabilities, packed, scales = node.inputs
    assert probabilities is not None and packed is not None and packed.shape is not None and scales is not None
    hidden_size = int(write.attributes["hidden_size"])
    chunks = -(-int(packed.shape[0]) // CHUNK_ROWS)
    body = _body(write, probabilities, packed, scales, hidden_size)
    positions = write.op("Shape", probabilities, start=0, end=1)
    shape = write.op("Concat", positions, write.numbers(hidden_size), axis=0)
    nothing = write.op("ConstantOfShape", shape, value=onnx_ir.tensor(np.zeros(1, dtype=np.float32)))
    count = write.constant(np.array(chunks, dtype=np.int64))
    write.replace(write.op("Loop", count, None, nothing, body=body))


def _body(
    outer: NodeWriter, probabilities: onnx_ir.Value, packed: onnx_ir.Value, scales: onnx_ir.Value, hidden_size: int
) -> onnx_ir.Graph:
    """One turn: the sum so far, and what the rows of one piece add to it."""
    turn = _value("turn", onnx_ir.DataType.INT64, ())
    go_on = _value("go_on", onnx_ir.DataType.BOOL, ())
    total = _value("total", onnx_ir.DataType.FLOAT, (None, hidden_size))
    write = outer.inside()
    start = write.op("Mul", write.op("Reshape", turn, write.numbers(1)), write.numbers(CHUNK_ROWS))
    end = write.op("Add", start, write.numbers(CHUNK_ROWS))
    integers = write.op("Slice", packed, start, end, write.numbers(0))
    centred = write.op(
        "Sub",
        write.op("Cast", integers, to=onnx_ir.DataType.FLOAT),
        write.constant(np.array(outer.attributes["zero_point"], dtype=np.float32)),
    )
    factors = write.op("Unsqueeze", write.op("Slice", scales, start, end, write.numbers(0)), write.numbers(-1))
    _, blocks, block_size = (int(size) for size in packed.shape)
    rows = write.op("Reshape", write.op("Mul", centred, factors), write.numbers(-1, blocks * block_size))
    if hidden_size != blocks * block_size:
        rows = write.op("Slice", rows, write.numbers(0), write.numbers(hidden_size), write.numbers(1))
    shares = write.op("Slice", probabilities, start, end, write.numbers(1))
    summed = write.op("Add", total, write.op("MatMul", shares, rows))
    still = write.op("Identity", go_on)
    return onnx_ir.Graph([turn, go_on, total], [still, summed], nodes=write.nodes, name="expected_embedding")


def _value(name: str, dtype: onnx_ir.DataType, shape: tuple[int | None, ...]) -> onnx_ir.Value:
    return onnx_ir.Value(name=name, type=onnx_ir.TensorType(dtype), shape=onnx_ir.Shape(shape))
