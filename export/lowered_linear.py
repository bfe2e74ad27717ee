"""Stand-in for a linear layer whose weight is stored in 4 or 8 bits."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from export.lowered_experts import as_numpy
from export.quantise import quantise

# Activations stay fp32 inside the product; 4 would allow int8 and cost about 1 % of the result.
_FP32_ACTIVATIONS = 1


class QuantisedLinear(nn.Module):
    """`com.microsoft::MatMulNBits`: y = x W^T (+ b) with W block-wise quantised along its input features."""

    def __init__(self, linear: nn.Linear, bits: int, block_size: int) -> None:
        super().__init__()
        weight = quantise(as_numpy(linear.weight), bits, block_size)
        self.packed = nn.Buffer(torch.from_numpy(weight.packed))
        self.scales = nn.Buffer(torch.from_numpy(weight.scales))
        self.bias = linear.bias
        self.out_features = linear.out_features
        self.attributes = {
            "K": linear.in_features,
            "N": linear.out_features,
            "bits": bits,
            "block_size": block_size,
            "accuracy_level": _FP32_ACTIVATIONS,
        }

    def forward(self, values: Tensor) -> Tensor:
        return torch.onnx.ops.symbolic(
            "com.microsoft::MatMulNBits",
            [values, self.packed, self.scales, None, None, self.bias],
            self.attributes,
            dtype=values.dtype,
            shape=(*values.shape[:-1], self.out_features),
            version=1,
        )


class SideBySide(nn.Module):
    """Linear layers of the same input as one product, whose parts are the layers' outputs.

    ONNX Runtime gives each thread some columns of a product, and adds up in another order once they are few: narrow
    products would give other bits with two threads than with one. A wide one is faster, too.
    """

    def __init__(self, linears: Sequence[nn.Linear], bits: int, block_size: int) -> None:
        super().__init__()
        self.sizes = [linear.out_features for linear in linears]
        whole = nn.Linear(linears[0].in_features, sum(self.sizes), bias=linears[0].bias is not None)
        whole.weight = nn.Parameter(torch.cat([linear.weight for linear in linears]))
        if whole.bias is not None:
            whole.bias = nn.Parameter(torch.cat([linear.bias for linear in linears]))
        self.linear = QuantisedLinear(whole, bits, block_size)
        self._values: Tensor | None = None
        self._parts: tuple[Tensor, ...] = ()

    def part(self, index: int, values: Tensor) -> Tensor:
        """Output of one of the layers; asked for all of them with the same `values`, the product is traced once."""
        if values is not self._values:
            self._values, self._parts = values, self.linear(values).split(self.sizes, dim=-1)
        return self._parts[index]


class Part(nn.Module):
    """One of the layers of a `SideBySide`, in the place of the original."""

    def __init__(self, whole: SideBySide, index: int) -> None:
        super().__init__()
        self.whole = whole
        self.index = index

    def forward(self, values: Tensor) -> Tensor:
        return self.whole.part(self.index, values)
