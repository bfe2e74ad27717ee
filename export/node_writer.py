"""Nodes written by hand in the place of an operator that only stands for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir
from onnx_ir.tape import Tape


class NodeWriter:
    """Nodes that take the place of one operator.

    Attributes:
        graph: that the operator is in.
        attributes: the operator's own.
    """

    def __init__(self, graph: onnx_ir.Graph, node: onnx_ir.Node, prefix: str = "") -> None:
        self.graph = graph
        self.attributes: dict[str, Any] = {name: attribute.value for name, attribute in node.attributes.items()}
        self._node = node
        self._prefix = prefix or str(node.name)
        self._tape = Tape()

    def inside(self) -> "NodeWriter":
        """Another list of nodes, for a graph inside of one of these."""
        return NodeWriter(self.graph, self._node, f"{self._prefix}.inside")

    def op(self, op_type: str, *inputs: onnx_ir.Value | None, domain: str = "", **attributes: Any) -> onnx_ir.Value:
        """A node with one output."""
        (value,) = self._named(
            self._tape.op_multi_out(op_type, list(inputs), attributes or None, num_outputs=1, domain=domain)
        )
        return value

    def ops(self, op_type: str, *inputs: onnx_ir.Value, outputs: int, **attributes: Any) -> Sequence[onnx_ir.Value]:
        """A node with several outputs."""
        return self._named(self._tape.op_multi_out(op_type, list(inputs), attributes or None, num_outputs=outputs))

    def _named(self, values: Sequence[onnx_ir.Value]) -> Sequence[onnx_ir.Value]:
        """Names that no other graph has: one inside of another may not use the outer one's again."""
        for index, value in enumerate(values):
            value.name = f"{self._prefix}.{len(self._tape.nodes)}.{index}"
        return values

    def numbers(self, *numbers: int) -> onnx_ir.Value:
        """A constant int64 [numbers]."""
        return self.constant(np.array(numbers, dtype=np.int64))

    def constant(self, array: Any) -> onnx_ir.Value:
        """A constant of any type."""
        return self.op("Constant", value=onnx_ir.tensor(array))

    @property
    def nodes(self) -> list[onnx_ir.Node]:
        """What was written so far."""
        return list(self._tape.nodes)

    def replace(self, result: onnx_ir.Value) -> None:
        """Let the nodes, which compute `result`, take the place of the operator, which has one output."""
        node = self._node
        (output,) = node.outputs
        result.shape, result.type = output.shape, output.type
        onnx_ir.convenience.replace_nodes_and_values(self.graph, node, [node], self.nodes, [output], [result])
