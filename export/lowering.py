"""Which construction each part of the network becomes on a target, and the refusal of those that are not exact."""

from collections.abc import Iterator
from typing import Any

from torch import nn
from transformers.models.diffusion_gemma.modeling_diffusion_gemma import DiffusionGemmaRMSNorm

from export.config import ExportOptions
from export.errors import ExportError
from export.lowered_experts import DenseExperts, FusedExperts, QuantisedExperts, RouterLogits
from export.lowered_linear import Part, QuantisedLinear, SideBySide
from export.lowered_norm import RmsNorm
from export.quantise import quantisation_bits

FUSED = "fused"
DENSE = "dense"


def expert_lowering(text: Any, options: ExportOptions) -> str:
    """Return how the experts of the text config `text` are built on the target: FUSED or DENSE.

    Raises:
        ExportError: no construction computes exactly what transformers does with these settings.
    """
    activation = text.hidden_activation
    if activation not in ("silu", "gelu_pytorch_tanh"):
        raise ExportError(
            f'hidden_activation "{activation}" in config.json has no exact lowering',
            'Supported are "silu" and "gelu_pytorch_tanh"',
        )
    if options.experts == "int4":
        if activation != "silu":
            raise ExportError(
                f'int4 experts with hidden_activation "{activation}" have no exact operator on {options.target}',
                "Use --experts fp32",
            )
        for name in ("hidden_size", "moe_intermediate_size"):
            _check_blocks(name, getattr(text, name), options.block_size)
    return FUSED if activation == "silu" else DENSE


def lower(model: Any, options: ExportOptions) -> None:
    """Replace, in the decoder of `model`, what is not traced as it stands. The router's arithmetic stays fp32.

    Layer by layer, so that no more than one layer's experts exist twice.
    """
    text = model.config.text_config
    construction = expert_lowering(text, options)
    bits = quantisation_bits(options.linear)
    _lower_norms(model.model.decoder, text)
    for layer, encoder_layer in zip(model.model.decoder.layers, model.model.encoder.language_model.layers, strict=True):
        # The encoder's layer shares the parameters and would keep the original experts in memory.
        encoder_layer.experts = None
        if construction == DENSE:
            layer.experts = DenseExperts(layer.experts)
        else:
            layer.experts = _fused_experts(layer, text.top_k_experts, options)
            layer.router = RouterLogits(layer.router)
    if bits is not None:
        for layer in model.model.decoder.layers:
            _join_projections(layer.self_attn, bits, options.block_size)
        for parent, name, linear in quantisable_linears(model):
            setattr(parent, name, QuantisedLinear(linear, bits, options.block_size))


def quantisable_linears(model: Any) -> Iterator[tuple[nn.Module, str, nn.Linear]]:
    """The linear layers that `--linear` is about, as (parent, attribute, layer): attention, MLP, conditioning."""
    parents = [model.model.decoder.self_conditioning]
    for layer in model.model.decoder.layers:
        parents += [layer.self_attn, layer.mlp]
    for parent in parents:
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                yield parent, name, child


def _join_projections(attention: Any, bits: int, block_size: int) -> None:
    """Put queries, keys and (where a layer has them) values side by side."""
    names = [name for name in ("q_proj", "k_proj", "v_proj") if getattr(attention, name, None) is not None]
    whole = SideBySide([getattr(attention, name) for name in names], bits, block_size)
    for index, name in enumerate(names):
        setattr(attention, name, Part(whole, index))


def _lower_norms(decoder: Any, text: Any) -> None:
    for parent in list(decoder.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, DiffusionGemmaRMSNorm):
                # Of the norms without a weight, those of the values work on a head, the others on the hidden states.
                size = parent.head_dim if name == "v_norm" else text.hidden_size
                setattr(parent, name, RmsNorm(child, size, text.rms_norm_eps))


def _fused_experts(layer: Any, top_k: int, options: ExportOptions) -> nn.Module:
    if options.experts == "int4":
        return QuantisedExperts(layer.experts, layer.router.per_expert_scale, top_k, options.block_size)
    return FusedExperts(layer.experts, layer.router.per_expert_scale, top_k)


def _check_blocks(name: str, size: int, block_size: int) -> None:
    if size % block_size:
        raise ExportError(
            f"{name} {size} is not divisible by the int4 block size {block_size}",
            "Use --block-size 32" if size % 32 == 0 else "Use --experts fp32",
        )
