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
        asymmetric: whether each block has a zero point of its own.
    """

    bits: int
    block_size: int
    method: Method = "extreme"
    asymmetric: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what is stored of a weight, in the order of `QuantisedWeight.arrays`."""
        return ("packed", "scales", "zero_points") if self.asymmetric else ("packed", "scales")

    def zero_point_bytes(self, blocks: int) -> int:
        """Bytes that the zero points of a row of blocks take."""
        return -(-blocks * self.bits // 8)

    def __call__(self, weight: FloatArray) -> QuantisedWeight:
        """Quantise float32 [..., K] along K."""
        return quantise(weight, self.bits, self.block_size, self.method, asymmetric=self.asymmetric)


def quantiser_of(mode: str, options: ExportOptions) -> Quantiser | None:
    """The quantiser of a mode ("int4", "int8") under the options of an export; None for "fp32"."""
    if mode == "fp32":
        return None
    is_int4 = mode == "int4"
    # In 8 bits a zero point of its own gains a block nothing that counts.
    return Quantiser(4 if is_int4 else 8, options.block_size, options.scales, options.asymmetric and is_int4)
