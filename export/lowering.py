"""Which construction each part of the network becomes on a target, and the refusal of those that are not exact."""

from collections.abc import Iterator
from typing import Any

from torch import nn
from transformers.models.diffusion_gemma.modeling_diffusion_gemma import DiffusionGemmaRMSNorm

from export.config import ExportOptions
from export.errors import ExportError
from export.lowered_embedding import FullEmbedding, QuantisedEmbedding
from export.lowered_experts import LoweredExperts, RouterLogits
from export.lowered_linear import FullLinear, Part, QuantisedLinear, SideBySide
from export.lowered_norm import RmsNorm
from export.quantiser import Quantiser, quantiser_of

DECODER = "model.decoder"
"""Name of the decoder in a checkpoint."""

_PROJECTIONS = ("q_proj", "k_proj", "v_proj")


def check_lowering(text: Any, options: ExportOptions) -> None:
    """Refuse what no construction computes exactly as transformers does.

    Args:
        text: transformers' text config.
        options: of the export.

    Raises:
        ExportError: names the setting.
    """
    if text.hidden_activation not in ("silu", "gelu_pytorch_tanh"):
        raise ExportError(
            f'hidden_activation "{text.hidden_activation}" in config.json has no exact lowering',
            'Supported are "silu" and "gelu_pytorch_tanh"',
        )
    if options.experts == "int4":
        for name in ("hidden_size", "moe_intermediate_size"):
            _check_blocks(name, getattr(text, name), options.block_size)


def lower(model: Any, options: ExportOptions) -> None:
    """Replace, in the decoder of `model`, what is not traced as it stands. The router's arithmetic stays fp32.

    The values of the weights are not looked at: what replaces them says how they are made (`export.stored`).
    """
    text = model.config.text_config
    experts = quantiser_of(options.experts, options)
    linear = quantiser_of(options.linear, options)
    embeddings = quantiser_of(options.embeddings, options)
    _lower_norms(model.model.decoder, text)
    encoder_layers = model.model.encoder.language_model.layers
    for number, layer in enumerate(model.model.decoder.layers):
        encoder_layers[number].experts = None
        name = f"{DECODER}.layers.{number}"
        layer.experts = LoweredExperts(layer.experts, name, text.top_k_experts, text.hidden_activation, experts)
        layer.router = RouterLogits(layer.router)
        if linear is not None:
            _join_projections(layer.self_attn, f"{name}.self_attn", linear)
    for parent, full_name, original in quantisable_linears(model):
        lowered = (
            FullLinear(original, full_name) if linear is None else QuantisedLinear([original], [full_name], linear)
        )
        setattr(parent, full_name.rpartition(".")[2], lowered)
    decoder = model.model.decoder
    if embeddings is None:
        decoder.embed_tokens = FullEmbedding(decoder.embed_tokens)
    else:
        decoder.embed_tokens = QuantisedEmbedding(decoder.embed_tokens, f"{DECODER}.embed_tokens", embeddings)


def quantisable_linears(model: Any) -> Iterator[tuple[nn.Module, str, nn.Linear]]:
    """The linear layers that `--linear` is about, as (parent, name in the checkpoint, layer)."""
    decoder = model.model.decoder
    parents = {f"{DECODER}.self_conditioning": decoder.self_conditioning}
    for number, layer in enumerate(decoder.layers):
        parents |= {f"{DECODER}.layers.{number}.{part}": getattr(layer, part) for part in ("self_attn", "mlp")}
    for parent_name, parent in parents.items():
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                yield parent, f"{parent_name}.{name}", child


def _join_projections(attention: Any, attention_name: str, quantiser: Quantiser) -> None:
    """Put queries, keys and (where a layer has them) values side by side."""
    names = [name for name in _PROJECTIONS if getattr(attention, name, None) is not None]
    linears = [getattr(attention, name) for name in names]
    attention.joined_proj = whole = SideBySide(linears, [f"{attention_name}.{name}" for name in names], quantiser)
    for index, name in enumerate(names):
        setattr(attention, name, Part(whole, index))


def _lower_norms(decoder: Any, text: Any) -> None:
    for parent in list(decoder.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, DiffusionGemmaRMSNorm):
                # Of the norms without a weight, those of the values work on a head, the others on the hidden states.
                size = parent.head_dim if name == "v_norm" else text.hidden_size
                setattr(parent, name, RmsNorm(child, size, text.rms_norm_eps))


def _check_blocks(name: str, size: int, block_size: int) -> None:
    if size % block_size:
        raise ExportError(
            f"{name} {size} is not divisible by the int4 block size {block_size}",
            "Use --block-size 32" if size % 32 == 0 else "Use --experts fp32",
        )
