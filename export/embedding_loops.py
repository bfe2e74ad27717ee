"""An embedding that is stored in 8 bits, as the head and as the weights of a mean, a few thousand rows at a time.

In fp32 it would be the largest weight of all. `MatMulNBits` unpacks 8-bit weights as a whole, at every call, and a
product with all of it in plain operators would be unpacked, from constants alone, when the graph is loaded. Nothing is
unpacked where no position is asked for, as in an encode pass.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx_ir

from export.node_writer import NodeWriter

CHUNK_ROWS = 4096
"""Rows of the embedding that are in fp32 at a time."""

_FLOAT = onnx_ir.TensorType(onnx_ir.DataType.FLOAT)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of the embedding, unpacked: float32 [rows, hidden], from id `start` up to `end`, each int64 [1]."""

    rows: onnx_ir.Value
    start: onnx_ir.Value
    end: onnx_ir.Value


_Turn = Callable[[NodeWriter, onnx_ir.Value, _Piece], onnx_ir.Value]


def write_expected_embedding(graph: onnx_ir.Graph, node: onnx_ir.Node) -> None:
    """Put a loop over pieces of the vocabulary in the place of `node`, an `EXPECTED_EMBEDDING`."""
    write = NodeWriter(graph, node)
    probabilities = node.inputs[0]
    assert probabilities is not None
    hidden_size = int(write.attributes["hidden_size"])

    def add(inside: NodeWriter, total: onnx_ir.Value, piece: _Piece) -> onnx_ir.Value:
        shares = inside.op("Slice", probabilities, piece.start, piece.end, inside.numbers(1))
        return inside.op("Add", total, inside.op("MatMul", shares, piece.rows))

    positions = write.op("Shape", probabilities, start=0, end=1)
    shape = write.op("Concat", positions, write.numbers(hidden_size), axis=0)
    nothing = write.op("ConstantOfShape", shape, value=onnx_ir.tensor(np.zeros(1, dtype=np.float32)))
    total = onnx_ir.Value(name="total", type=_FLOAT, shape=onnx_ir.Shape((None, hidden_size)))
    body = _body(write, node, total, add)
    write.replace(write.op("Loop", _turns(write, node, positions), None, nothing, body=body))


def write_embedding_logits(graph: onnx_ir.Graph, node: onnx_ir.Node) -> None:
    """Put a loop over pieces of the vocabulary in the place of `node`, an `EMBEDDING_LOGITS`."""
    write = NodeWriter(graph, node)
    hidden = node.inputs[0]
    assert hidden is not None

    def append(inside: NodeWriter, pieces: onnx_ir.Value, piece: _Piece) -> onnx_ir.Value:
        return inside.op("SequenceInsert", pieces, inside.op("Gemm", hidden, piece.rows, transB=1))

    positions = write.op("Shape", hidden, start=0, end=1)
    # Nothing can be joined to nothing: where no position is asked for there is one piece, which has no rows either.
    turns = write.op("Max", write.numbers(1), _turns(write, node, positions))
    pieces = onnx_ir.Value(name="pieces", type=onnx_ir.SequenceType(_FLOAT))
    found = write.op("Loop", turns, None, write.op("SequenceEmpty"), body=_body(write, node, pieces, append))
    shape = write.op("Concat", positions, write.numbers(_vocab_size(node)), axis=0)
    write.replace(write.op("Reshape", write.op("ConcatFromSequence", found, axis=1), shape, allowzero=1))


def _turns(write: NodeWriter, node: onnx_ir.Node, positions: onnx_ir.Value) -> onnx_ir.Value:
    """Pieces of the vocabulary, or none where there are no positions."""
    return write.op("Mul", write.op("Sign", positions), write.numbers(-(-_vocab_size(node) // CHUNK_ROWS)))


def _vocab_size(node: onnx_ir.Node) -> int:
    packed = node.inputs[1]
    assert packed is not None and packed.shape is not None
    return int(packed.shape[0])


def _body(outer: NodeWriter, node: onnx_ir.Node, carried: onnx_ir.Value, turn: _Turn) -> onnx_ir.Graph:
    """What a turn of the loop does: unpack its rows, and make of them, and of what is carried, what is carried on."""
    number = onnx_ir.Value(name="turn", type=onnx_ir.TensorType(onnx_ir.DataType.INT64), shape=onnx_ir.Shape(()))
    go_on = onnx_ir.Value(name="go_on", type=onnx_ir.TensorType(onnx_ir.DataType.BOOL), shape=onnx_ir.Shape(()))
    write = outer.inside()
    _, packed, scales = node.inputs
    assert packed is not None and packed.shape is not None and scales is not None
    start = write.op("Mul", write.op("Reshape", number, write.numbers(1)), write.numbers(CHUNK_ROWS))
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
    hidden_size = int(outer.attributes["hidden_size"])
    if hidden_size != blocks * block_size:
        rows = write.op("Slice", rows, write.numbers(0), write.numbers(hidden_size), write.numbers(1))
    result = turn(write, carried, _Piece(rows, start, end))
    still = write.op("Identity", go_on)
    return onnx_ir.Graph([number, go_on, carried], [still, result], nodes=write.nodes, name="embedding_loop")
