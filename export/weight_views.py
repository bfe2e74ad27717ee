"""The parts of a stacked weight as weights of their own, which share its bytes."""

from collections.abc import Sequence

import onnx_ir


def split_weight(graph: onnx_ir.Graph, stacked: onnx_ir.Value, shape: Sequence[int]) -> list[onnx_ir.Value]:
    """Replace an initializer of `graph` by one for each part along its first axis.

    Args:
        graph: whose other nodes do not use it.
        stacked: the initializer.
        shape: that a part gets.
    """
    tensor = stacked.const_value
    assert tensor is not None and stacked.name is not None and stacked.shape is not None and stacked.dtype is not None
    count = int(stacked.shape[0])
    del graph.initializers[stacked.name]
    views = []
    for index in range(count):
        name = f"{stacked.name}.{index}"
        part: onnx_ir.TensorProtocol
        if isinstance(tensor, onnx_ir.ExternalTensor):
            length = tensor.nbytes // count
            part = onnx_ir.ExternalTensor(
                tensor.location, (tensor.offset or 0) + index * length, length, stacked.dtype,
                shape=onnx_ir.Shape(shape), name=name, base_dir=tensor.base_dir,
            )  # fmt: skip
        else:
            part = onnx_ir.tensor(tensor.numpy()[index].reshape(shape), name=name)
        value = onnx_ir.Value(
            name=name, shape=onnx_ir.Shape(shape), type=onnx_ir.TensorType(stacked.dtype), const_value=part
        )
        graph.register_initializer(value)
        views.append(value)
    return views
