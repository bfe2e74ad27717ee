"""The tokens of a pass in groups, one an expert, and the experts' results as the tokens' again, in ONNX operators."""

from dataclasses import dataclass

import onnx_ir

from export.node_writer import NodeWriter


@dataclass(frozen=True, slots=True)
class TokenGroups:
    """A token stands in as many groups as it has experts.

    Attributes:
        rows: float32 [tokens * top_k, hidden], the groups one behind the other.
        sizes: int64 [experts], rows of each group.
        shares: float32 [tokens * top_k, 1], what a row's result counts.
        back: int64 [tokens * top_k], where the rows of the tokens, in order, stand.
        top_k: experts of a token.
    """

    rows: onnx_ir.Value
    sizes: onnx_ir.Value
    shares: onnx_ir.Value
    back: onnx_ir.Value
    top_k: int


def group_tokens(
    write: NodeWriter, hidden: onnx_ir.Value, logits: onnx_ir.Value, experts: int, top_k: int
) -> TokenGroups:
    """Softmax, top k and renormalisation of router logits [tokens, experts], then the hidden states by expert."""
    shares, chosen = write.ops("TopK", write.op("Softmax", logits, axis=-1), write.numbers(top_k), outputs=2, axis=-1)
    shares = write.op("Div", shares, write.op("ReduceSum", shares, write.numbers(-1), keepdims=1))
    every = write.op("Reshape", chosen, write.numbers(-1))
    count = write.op("Shape", every)
    # Equal ids stay in their order: the operator gives the lower index first.
    _, order = write.ops("TopK", every, count, outputs=2, axis=0, largest=0, sorted=1)
    rows = write.op("Gather", hidden, write.op("Div", order, write.numbers(top_k)), axis=0)
    is_expert = write.op("Equal", write.op("Unsqueeze", every, write.numbers(1)), write.numbers(*range(experts)))
    sizes = write.op("ReduceSum", write.op("Cast", is_expert, to=onnx_ir.DataType.INT64), write.numbers(0), keepdims=0)
    share_rows = write.op("Gather", write.op("Reshape", shares, write.numbers(-1, 1)), order, axis=0)
    _, back = write.ops("TopK", order, count, outputs=2, axis=0, largest=0, sorted=1)
    return TokenGroups(rows, sizes, share_rows, back, top_k)


def sum_of_groups(write: NodeWriter, given: onnx_ir.Value, groups: TokenGroups, width: int) -> onnx_ir.Value:
    """What the rows gave, float32 [tokens * top_k, width], weighted and summed to [tokens, width]."""
    given = write.op("Gather", write.op("Mul", given, groups.shares), groups.back, axis=0)
    of_tokens = write.op("Reshape", given, write.numbers(-1, groups.top_k, width))
    return write.op("ReduceSum", of_tokens, write.numbers(1), keepdims=0)
