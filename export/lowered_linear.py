"""Stand-ins for a linear layer: in fp32, and with a weight that is stored in 4 or 8 bits."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from export.quantiser import Quantiser
from export.stored import Pieces, Stored, joined, placeholder
from export.weight_reader import WeightReader

# Activations stay fp32 inside the product; 4 would allow int8 and cost about 1 % of the result.
FP32_ACTIVATIONS = 1


class FullLinear(nn.Module):
    """y = x W^T (+ b) in fp32, with W stored as it is multiplied, [in, out].

    Args:
        linear: transformers' layer.
        source: its name in the checkpoint.
    """

    def __init__(self, linear: nn.Linear, source: str) -> None:
        super().__init__()
        self.weight = placeholder(linear.in_features, linear.out_features)
        self.bias = linear.bias
        name = f"{source}.weight"
        self.stored = (Stored((name,), ("weight",), lambda reader: iter([(reader.read(name).T,)])),)

    def forward(self, values: Tensor) -> Tensor:
        product = values @ self.weight
        return product if self.bias is None else product + self.bias


class QuantisedLinear(nn.Module):
    """`com.microsoft::MatMulNBits`: y = x W^T (+ b) with W block-wise quantised along its input features.

    Args:
        linears: layers of the same input, whose rows are put one behind the other.
        sources: their names in the checkpoint.
        quantiser: how W is stored.
    """

    def __init__(self, linears: Sequence[nn.Linear], sources: Sequence[str], quantiser: Quantiser) -> None:
        super().__init__()
        in_features, self.out_features = linears[0].in_features, sum(linear.out_features for linear in linears)
        blocks = -(-in_features // quantiser.block_size)
        packed = quantiser.block_size * quantiser.bits // 8
        self.packed = placeholder(self.out_features, blocks, packed, dtype=torch.uint8)
        self.scales = placeholder(self.out_features, blocks)
        zero_points = (self.out_features, quantiser.zero_point_bytes(blocks))
        self.zero_points = placeholder(*zero_points, dtype=torch.uint8) if quantiser.asymmetric else None
        weights = tuple(f"{source}.weight" for source in sources)

        def make(reader: WeightReader) -> Pieces:
            for weight in weights:
                for part in reader.parts(weight):
                    yield quantiser(part).arrays

        self.stored = [Stored(weights, quantiser.parts, make)]
        self.bias = None if linears[0].bias is None else placeholder(self.out_features)
        if self.bias is not None:
            self.stored.append(joined([f"{source}.bias" for source in sources], "bias"))
        self.attributes = {
            "K": in_features,
            "N": self.out_features,
            "bits": quantiser.bits,
            "block_size": quantiser.block_size,
            "accuracy_level": FP32_ACTIVATIONS,
        }

    def forward(self, values: Tensor) -> Tensor:
        return torch.onnx.ops.symbolic(
            "com.microsoft::MatMulNBits",
            [values, self.packed, self.scales, self.zero_points, None, self.bias],
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

    def __init__(self, linears: Sequence[nn.Linear], sources: Sequence[str], quantiser: Quantiser) -> None:
        super().__init__()
        self.sizes = [linear.out_features for linear in linears]
        self.linear = QuantisedLinear(linears, sources, quantiser)
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
        self._part = partial(whole.part, index)  # not a module of this one: it would have a name for each of its parts

    def forward(self, values: Tensor) -> Tensor:
        return self._part(values)
