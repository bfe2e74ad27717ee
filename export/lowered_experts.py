"""Stand-ins for a layer's router and expert modules that trace to what ONNX Runtime runs.

They take router logits and do softmax, top-k and renormalisation themselves; the per-expert scale, which the fused
operators do not know, is a factor of the expert's output and is folded into its down projection.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from export.lowered_linear import FP32_ACTIVATIONS
from export.operators import DOMAIN, GROUPED_EXPERTS
from export.quantise import FloatArray, QuantisedWeight
from export.quantiser import Quantiser
from export.stored import Pieces, Stored, constant, placeholder
from export.weight_reader import WeightReader

# silu(gate) * up: the operator's swiglu is gate * sigmoid(alpha * gate) * (up + beta), without a clamp unless
# swiglu_limit is given. Its fused rows are interleaved: gate 0, up 0, gate 1, up 1, ...
_SWIGLU = {
    "activation_type": "swiglu",
    "swiglu_fusion": 1,
    "activation_alpha": 1.0,
    "activation_beta": 0.0,
    "normalize_routing_weights": 1,
}

# What stands between the biases and the zero points: `fc2_experts_bias` and the third projection.
_ABSENT = (None,) * 4

Arrange = Callable[[FloatArray], FloatArray]


class RouterLogits(nn.Module):
    """transformers' router up to its logits, handed on in the place of weights and indices."""

    def __init__(self, router: Any) -> None:
        super().__init__()
        self.norm = router.norm
        self.proj = router.proj
        self.scale = router.scale
        self.scalar_root_size = router.scalar_root_size

    def forward(self, hidden_states: Tensor) -> tuple[Tensor, None, Tensor]:
        logits = self.proj(self.norm(hidden_states) * self.scale * self.scalar_root_size)
        return logits, None, logits


class _Company(nn.Module):
    """Rows that are put behind an expert operator's tokens, so that no token is ever alone with an expert.

    The operator multiplies a single row in another order than several, which rounds otherwise: what a token gives would
    depend on which experts the rest of the pass needs, and so on what shares the pass. Each expert is chosen by one of
    the rows; what they give is dropped.
    """

    def __init__(self, num_experts: int, hidden_size: int, top_k: int) -> None:
        super().__init__()
        rows = -(-num_experts // top_k)
        logits = np.zeros((rows, num_experts), dtype=np.float32)
        for choice in range(rows * top_k):
            logits[choice // top_k, choice % num_experts] = 1.0
        hidden_states = np.zeros((rows, hidden_size), dtype=np.float32)
        self.hidden_states = placeholder(*hidden_states.shape)
        self.router_logits = placeholder(*logits.shape)
        self.stored = (constant("hidden_states", hidden_states), constant("router_logits", logits))

    def join(self, hidden_states: Tensor, router_logits: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens [tokens, hidden] and their logits [tokens, experts], with the rows behind them."""
        return torch.cat([hidden_states, self.hidden_states]), torch.cat([router_logits, self.router_logits])

    def leave(self, hidden_states: Tensor) -> Tensor:
        """What the tokens gave."""
        return hidden_states[: -len(self.hidden_states)]


class LoweredExperts(nn.Module):
    """Gated experts of one layer as one operator, stored in fp32 or block-wise in 4 bits.

    `com.microsoft::MoE` and `QMoE` know the gate silu only; for tanh-GELU it is `GROUPED_EXPERTS`.

    Args:
        experts: transformers' module.
        layer: name of its layer in the checkpoint.
        top_k: experts that a token uses.
        activation: "silu" or "gelu_pytorch_tanh".
        quantiser: how the weights are stored; None for fp32.
    """

    def __init__(self, experts: Any, layer: str, top_k: int, activation: str, quantiser: Quantiser | None) -> None:
        super().__init__()
        self.fused = activation == "silu"
        num_experts, hidden_size, inner_size = experts.down_proj.shape
        self.attributes: dict[str, Any] = {"k": top_k}
        if quantiser is not None:
            self.attributes |= {
                "expert_weight_bits": quantiser.bits,
                "block_size": quantiser.block_size,
                "accuracy_level": FP32_ACTIVATIONS,
            }
        if self.fused:
            self.attributes |= _SWIGLU
        shapes = {"gate_up": (2 * inner_size, hidden_size), "down": (hidden_size, inner_size)}
        targets = []
        for name, (rows, columns) in shapes.items():
            if quantiser is None:
                setattr(self, name, placeholder(num_experts, rows, columns))
                targets += [name]
                continue
            blocks = columns // quantiser.block_size
            sizes = (columns * quantiser.bits // 8, blocks, quantiser.zero_point_bytes(blocks))
            for part, size in zip(quantiser.parts, sizes, strict=False):
                target = name if part == "packed" else f"{name}_{part}"
                dtype = torch.float32 if part == "scales" else torch.uint8
                setattr(self, target, placeholder(num_experts, rows, size, dtype=dtype))
                targets.append(target)
        self.is_quantised, self.is_asymmetric = quantiser is not None, quantiser is not None and quantiser.asymmetric
        arrange = interleave_gate_up if self.fused else np.asarray
        self.stored = (_stored(layer, tuple(targets), arrange, quantiser),)
        self.company = _Company(num_experts, hidden_size, top_k)

    def forward(self, hidden_states: Tensor, router_logits: Tensor, _weights: None) -> Tensor:
        hidden_states, router_logits = self.company.join(hidden_states, router_logits)
        weights = [self.gate_up, None, self.down]
        if self.is_quantised:
            weights = [self.gate_up, self.gate_up_scales, None, self.down, self.down_scales]
        if self.is_asymmetric:
            weights += [*_ABSENT, self.gate_up_zero_points, self.down_zero_points]
        quantised = "QMoE" if self.is_quantised else "MoE"
        given = torch.onnx.ops.symbolic(
            f"com.microsoft::{quantised}" if self.fused else f"{DOMAIN}::{GROUPED_EXPERTS}",
            [hidden_states, router_logits, *weights],
            self.attributes,
            dtype=hidden_states.dtype,
            shape=hidden_states.shape,
            version=1,
        )
        return self.company.leave(given)


def _stored(layer: str, targets: Sequence[str], arrange: Arrange, quantiser: Quantiser | None) -> Stored:
    """One expert after the other, so that no layer is ever in memory as a whole."""
    gate_up_name, down_name = f"{layer}.experts.gate_up_proj", f"{layer}.experts.down_proj"
    scale_name = f"{layer}.router.per_expert_scale"

    def make(reader: WeightReader) -> Pieces:
        scales = reader.read(scale_name)
        pairs = zip(reader.parts(gate_up_name), reader.parts(down_name), scales, strict=True)
        for gate_up, down, scale in pairs:
            weights = arrange(gate_up), fold_scale(down, scale[None])
            if quantiser is None:
                yield weights
                continue
            yield tuple(array for weight in weights for array in _side_by_side(quantiser(weight)))

    return Stored((gate_up_name, down_name, scale_name), tuple(targets), make)


def _side_by_side(stored: QuantisedWeight) -> Iterator[Any]:
    """What is stored of a weight, the blocks of a row side by side, as the operators want them."""
    packed, *others = stored.arrays
    yield packed.reshape(*packed.shape[:-2], -1)
    yield from others


def interleave_gate_up(gate_up: FloatArray) -> FloatArray:
    """Reorder the rows [experts, 2 * inner, hidden] from [gate | up] to gate 0, up 0, gate 1, up 1, ..."""
    gate, up = np.split(gate_up, 2, axis=1)
    return np.stack([gate, up], axis=2).reshape(gate_up.shape)


def fold_scale(down: FloatArray, per_expert_scale: FloatArray) -> FloatArray:
    """Multiply each expert's down projection [experts, hidden, inner] with the expert's scale [experts]."""
    return down * per_expert_scale[:, None, None]
