"""How a weight is stored in few bits, as a value that lowered modules can be given."""

from dataclasses import dataclass

from export.config import ExportOptions
from export.quantise import FloatArray, Method, QuantisedWeight, quantise


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Block-wise integers.

    Attributes:
        bits: 4 or 8.
        block_size: values along K that share a scale.
        method: how a block's scale is found.
    """

    bits: int
    block_size: int
    method: Method = "extreme"

    def __call__(self, weight: FloatArray) -> QuantisedWeight:
        """Quantise float32 [..., K] along K."""
        return quantise(weight, self.bits, self.block_size, self.method)


def quantiser_of(mode: str, options: ExportOptions) -> Quantiser | None:
    """The quantiser of a mode ("int4", "int8") under the options of an export; None for "fp32"."""
    return None if mode == "fp32" else Quantiser({"int4": 4, "int8": 8}[mode], options.block_size, options.scales)
