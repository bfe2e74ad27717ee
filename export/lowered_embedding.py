"""Stand-ins for the embedding and its three uses: tokens are looked up, it is the head, and it makes soft ones."""

from typing import Any

import torch
from torch import Tensor, nn

from export.operators import DOMAIN, EMBEDDING_LOGITS, EXPECTED_EMBEDDING
from export.quantiser import Quantiser
from export.stored import Pieces, Stored, placeholder
from export.weight_reader import WeightReader


class FullEmbedding(nn.Module):
    """transformers' embedding in fp32."""

    def __init__(self, embedding: Any) -> None:
        super().__init__()
        self.weight = embedding.weight
        # Kept at full precision: in a bfloat16 checkpoint transformers' buffer is a rounded square root.
        self.scale = float(embedding.scalar_embed_scale)

    def forward(self, ids: Tensor) -> Tensor:
        """Embeddings [..., hidden] of token ids [...]."""
        return nn.functional.embedding(ids, self.weight) * self.scale

    def logits(self, hidden: Tensor) -> Tensor:
        """Products [positions, vocab] of hidden states [positions, hidden] with every embedding."""
        return nn.functional.linear(hidden, self.weight)

    def expected(self, probabilities: Tensor) -> Tensor:
        """The mean embedding [positions, hidden] under probabilities [positions, vocab]."""
        return probabilities @ self.weight * self.scale


class QuantisedEmbedding(nn.Module):
    """The same in 8 bits, in blocks along the hidden size, without a copy in fp32.

    Args:
        embedding: transformers' module.
        source: its name in the checkpoint.
        quantiser: how the weight is stored, in 8 bits.
    """

    def __init__(self, embedding: Any, source: str, quantiser: Quantiser) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size = embedding.weight.shape
        self.scale = float(embedding.scalar_embed_scale)
        self.zero_point = float(1 << (quantiser.bits - 1))
        blocks = -(-self.hidden_size // quantiser.block_size)
        self.packed = placeholder(self.vocab_size, blocks, quantiser.block_size, dtype=torch.uint8)
        self.scales = placeholder(self.vocab_size, blocks)

        def make(reader: WeightReader) -> Pieces:
            for part in reader.parts(f"{source}.weight"):
                yield quantiser(part).arrays

        self.stored = (Stored((f"{source}.weight",), quantiser.parts, make),)

    def forward(self, ids: Tensor) -> Tensor:
        """Embeddings [..., hidden] of token ids [...]."""
        flat = ids.flatten()
        centred = self.packed.index_select(0, flat).float() - self.zero_point
        rows = (centred * self.scales.index_select(0, flat)[..., None]).flatten(1)[:, : self.hidden_size]
        return rows.reshape(*ids.shape, self.hidden_size) * self.scale

    def logits(self, hidden: Tensor) -> Tensor:
        """Products [positions, vocab] of hidden states [positions, hidden] with every embedding."""
        return self._with_all_rows(EMBEDDING_LOGITS, hidden, self.vocab_size)

    def expected(self, probabilities: Tensor) -> Tensor:
        """The mean embedding [positions, hidden] under probabilities [positions, vocab]."""
        return self._with_all_rows(EXPECTED_EMBEDDING, probabilities, self.hidden_size) * self.scale

    def _with_all_rows(self, operator: str, values: Tensor, width: int) -> Tensor:
        found: Tensor = torch.onnx.ops.symbolic(
            f"{DOMAIN}::{operator}",
            [values, self.packed, self.scales],
            {"hidden_size": self.hidden_size, "zero_point": self.zero_point},
            dtype=values.dtype,
            shape=(values.shape[0], width),
            version=1,
        )
        return found
