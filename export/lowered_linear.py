"""Stand-in for a linear layer whose weight is stored in 4 or 8 bits."""

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
