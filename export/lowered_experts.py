"""Stand-ins for a layer's router and expert modules that trace to what ONNX Runtime runs.

The fused operators take router logits and do softmax, top-k and renormalisation themselves; the per-expert scale, which
they do not know, is a factor of the expert's output and is folded into its down projection.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from export.quantise import FloatArray, QuantisedWeight, quantise

# silu(gate) * up: the operator's swiglu is gate * sigmoid(alpha * gate) * (up + beta), without a clamp unless
# swiglu_limit is given. Its fused rows are interleaved: gate 0, up 0, gate 1, up 1, ...
_SWIGLU = {
    "activation_type": "swiglu",
    "swiglu_fusion": 1,
    "activation_alpha": 1.0,
    "activation_beta": 0.0,
    "normalize_routing_weights": 1,
}
# Activations stay fp32 inside the expert products; 4 would allow int8 and cost about 1 % of the result.
_FP32_ACTIVATIONS = 1


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

    def __init__(self, down_shape: Sequence[int], top_k: int) -> None:
        super().__init__()
        num_experts, hidden_size = down_shape[:2]
        rows = -(-num_experts // top_k)
        logits = np.zeros((rows, num_experts), dtype=np.float32)
        for choice in range(rows * top_k):
            logits[choice // top_k, choice % num_experts] = 1.0
        self.hidden_states = _constant(np.zeros((rows, hidden_size), dtype=np.float32))
        self.router_logits = _constant(logits)

    def join(self, hidden_states: Tensor, router_logits: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens [tokens, hidden] and their logits [tokens, experts], with the rows behind them."""
        return torch.cat([hidden_states, self.hidden_states]), torch.cat([router_logits, self.router_logits])

    def leave(self, hidden_states: Tensor) -> Tensor:
        """What the tokens gave."""
        return hidden_states[: -len(self.hidden_states)]


class FusedExperts(nn.Module):
    """`com.microsoft::MoE` with silu-gated experts in fp32."""

    def __init__(self, experts: Any, per_expert_scale: Tensor, top_k: int) -> None:
        super().__init__()
        self.top_k = top_k
        self.gate_up = _constant(interleave_gate_up(as_numpy(experts.gate_up_proj)))
        self.down = _constant(fold_scale(as_numpy(experts.down_proj), as_numpy(per_expert_scale)))
        self.company = _Company(experts.down_proj.shape, top_k)

    def forward(self, hidden_states: Tensor, router_logits: Tensor, _weights: None) -> Tensor:
        hidden_states, router_logits = self.company.join(hidden_states, router_logits)
        given = torch.onnx.ops.symbolic(
            "com.microsoft::MoE",
            [hidden_states, router_logits, self.gate_up, None, self.down],
            {"k": self.top_k, **_SWIGLU},
            dtype=hidden_states.dtype,
            shape=hidden_states.shape,
            version=1,
        )
        return self.company.leave(given)


class QuantisedExperts(nn.Module):
    """`com.microsoft::QMoE` with silu-gated experts in block-wise int4."""

    def __init__(self, experts: Any, per_expert_scale: Tensor, top_k: int, block_size: int) -> None:
        super().__init__()
        self.top_k = top_k
        self.block_size = block_size
        gate_up = quantise(interleave_gate_up(as_numpy(experts.gate_up_proj)), 4, block_size)
        down = quantise(fold_scale(as_numpy(experts.down_proj), as_numpy(per_expert_scale)), 4, block_size)
        self.gate_up, self.gate_up_scales = _packed_rows(gate_up)
        self.down, self.down_scales = _packed_rows(down)
        self.company = _Company(experts.down_proj.shape, top_k)

    def forward(self, hidden_states: Tensor, router_logits: Tensor, _weights: None) -> Tensor:
        hidden_states, router_logits = self.company.join(hidden_states, router_logits)
        given = torch.onnx.ops.symbolic(
            "com.microsoft::QMoE",
            [
                hidden_states,
                router_logits,
                self.gate_up,
                self.gate_up_scales,
                None,
                self.down,
                self.down_scales,
            ],
            {
                "k": self.top_k,
                "expert_weight_bits": 4,
                "block_size": self.block_size,
                "accuracy_level": _FP32_ACTIVATIONS,
                **_SWIGLU,
            },
            dtype=hidden_states.dtype,
            shape=hidden_states.shape,
            version=1,
        )
        return self.company.leave(given)


class DenseExperts(nn.Module):
    """Every expert on every token, in plain ONNX: exact for any activation, num_experts / top_k times the work.

    All experts side by side are one wide gated MLP whose middle is scaled, expert by expert, with the token's routing
    weights (0 for the experts that were not chosen). transformers' own router makes the weights.
    """

    def __init__(self, experts: Any) -> None:
        super().__init__()
        self.num_experts = experts.num_experts
        self.act_fn = experts.act_fn
        gate, up = np.split(as_numpy(experts.gate_up_proj), 2, axis=1)
        self.gate = _constant(_side_by_side(gate))
        self.up = _constant(_side_by_side(up))
        down = as_numpy(experts.down_proj)  # [experts, hidden, inner]
        self.down = _constant(down.transpose(0, 2, 1).reshape(-1, down.shape[1]))

    def forward(self, hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        tokens = hidden_states.shape[0]
        chosen = hidden_states.new_zeros(tokens, self.num_experts).scatter(1, top_k_index, top_k_weights)
        middle = self.act_fn(hidden_states @ self.gate) * (hidden_states @ self.up)
        weighted = middle.reshape(tokens, self.num_experts, -1) * chosen[:, :, None]
        return weighted.reshape(tokens, -1) @ self.down


def interleave_gate_up(gate_up: FloatArray) -> FloatArray:
    """Reorder the rows [experts, 2 * inner, hidden] from [gate | up] to gate 0, up 0, gate 1, up 1, ..."""
    gate, up = np.split(gate_up, 2, axis=1)
    return np.stack([gate, up], axis=2).reshape(gate_up.shape)


def fold_scale(down: FloatArray, per_expert_scale: FloatArray) -> FloatArray:
    """Multiply each expert's down projection [experts, hidden, inner] with the expert's scale [experts]."""
    return down * per_expert_scale[:, None, None]


def as_numpy(tensor: Tensor) -> FloatArray:
    """A float32 array of a parameter of any float type."""
    array: FloatArray = tensor.detach().float().cpu().numpy()
    return array


def _side_by_side(weight: FloatArray) -> FloatArray:
    """[experts, inner, hidden] -> [hidden, experts * inner]."""
    return weight.reshape(-1, weight.shape[2]).T


def _packed_rows(weight: QuantisedWeight) -> tuple[nn.Buffer, nn.Buffer]:
    """Packed values as QMoE wants them, [experts, rows, K / 2], and their scales [experts, rows, blocks]."""
    experts, rows = weight.packed.shape[:2]
    return nn.Buffer(torch.from_numpy(weight.packed.reshape(experts, rows, -1))), nn.Buffer(
        torch.from_numpy(weight.scales)
    )


def _constant(array: FloatArray) -> nn.Buffer:
    return nn.Buffer(torch.from_numpy(np.ascontiguousarray(array)))
