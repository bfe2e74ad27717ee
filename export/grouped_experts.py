"""The experts of a layer in operators that every CPU build of ONNX Runtime has, exact for tanh-GELU.

The tokens are sorted by expert, cut into one group an expert, multiplied with that expert's own weights, and put back:

    logits -> softmax -> top k -> sort -> gather -> split -> 128 x product -> concat -> tanh-GELU -> split -> ...

Each expert's weights are an initializer of their own, a view into the stacked one, because ONNX Runtime unpacks weights
once for products with constants, and at every call for others.
"""

from collections.abc import Sequence

import onnx_ir

from export.node_writer import NodeWriter
from export.token_groups import group_tokens, sum_of_groups
from export.weight_views import split_weight


def write_grouped_experts(graph: onnx_ir.Graph, node: onnx_ir.Node) -> None:
    """Put the nodes in the place of `node`, a `GROUPED_EXPERTS`."""
    write = NodeWriter(graph, node)
    hidden, logits, *weights = node.inputs
    assert hidden is not None and logits is not None
    gate_up_parts, down_parts = ([weights[index] for index in parts if index < len(weights)] for parts in _parts(write))
    experts = int(gate_up_parts[0].shape[0])
    groups = group_tokens(write, hidden, logits, experts, int(write.attributes["k"]))
    gate_up = _grouped_products(write, groups.rows, groups.sizes, gate_up_parts, experts)
    gate, up = write.ops("Split", gate_up, outputs=2, axis=-1, num_outputs=2)
    middle = write.op("Mul", write.op("Gelu", gate, approximate="tanh"), up)
    given = _grouped_products(write, middle, groups.sizes, down_parts, experts)
    write.replace(sum_of_groups(write, given, groups, int(node.outputs[0].shape[-1])))


def _parts(write: NodeWriter) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which inputs, behind hidden states and logits, hold the first and the second weight: as in `MoE` and `QMoE`."""
    return ((0, 1, 9), (3, 4, 10)) if "block_size" in write.attributes else ((0,), (2,))


def _grouped_products(
    write: NodeWriter, rows: onnx_ir.Value, sizes: onnx_ir.Value, stacked: Sequence[onnx_ir.Value], experts: int
) -> onnx_ir.Value:
    """Each expert's rows times its weights [out, in], the groups one behind the other."""
    groups = write.ops("Split", rows, sizes, outputs=experts, axis=0)
    weight, *quantised = stacked
    _, out_features, row = (int(size) for size in weight.shape)
    if not quantised:
        matrices = split_weight(write.graph, weight, (out_features, row))
        products = [write.op("Gemm", group, matrix, transB=1) for group, matrix in zip(groups, matrices, strict=True)]
        return write.op("Concat", *products, axis=0)
    bits = int(write.attributes["expert_weight_bits"])
    attributes = {name: int(write.attributes[name]) for name in ("accuracy_level", "block_size")}
    in_features = row * 8 // bits
    blocks = in_features // attributes["block_size"]
    packed = split_weight(write.graph, weight, (out_features, blocks, row // blocks))
    others = [split_weight(write.graph, value, tuple(value.shape)[1:]) for value in quantised]
    products = [
        write.op("MatMulNBits", *inputs, domain="com.microsoft", K=in_features, N=out_features, bits=bits, **attributes)
        for inputs in zip(groups, packed, *others, strict=True)
    ]
    return write.op("Concat", *products, axis=0)
