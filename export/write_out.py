"""Operators that stand for others, written out in what ONNX Runtime runs."""

import onnx_ir

from export.embedding_loops import write_embedding_logits, write_expected_embedding
from export.grouped_experts import write_grouped_experts
from export.operators import DOMAIN, EMBEDDING_LOGITS, EXPECTED_EMBEDDING, GROUPED_EXPERTS

_WRITERS = {
    EMBEDDING_LOGITS: write_embedding_logits,
    EXPECTED_EMBEDDING: write_expected_embedding,
    GROUPED_EXPERTS: write_grouped_experts,
}


def write_out(model: onnx_ir.Model) -> None:
    """Replace every operator of `export.operators` in `model`, whose weights lie in their file already."""
    for node in list(model.graph):
        if node.domain == DOMAIN:
            _WRITERS[node.op_type](model.graph, node)
    model.opset_imports.pop(DOMAIN, None)
    model.opset_imports.setdefault("com.microsoft", 1)
