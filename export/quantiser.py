"""How a weight is stored in few bits, as a value that lowered modules can be given."""

from dataclasses import dataclass

from export.quantise import FloatArray, QuantisedWeight, quantise


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Block-wise integers.

    Attributes:
        bits: 4 or 8.
        block_size: values along K that share a scale.
    """

    bits: int
    block_size: int

    def __call__(self, weight: FloatArray) -> QuantisedWeight:
        """Quantise float32 [..., K] along K."""
        return quantise(weight, self.bits, self.block_size)


def quantiser_of(mode: str, block_size: int) -> Quantiser | None:
    """The quantiser of a mode ("int4", "int8"); None for "fp32"."""
    return None if mode == "fp32" else Quantiser({"int4": 4, "int8": 8}[mode], block_size)
