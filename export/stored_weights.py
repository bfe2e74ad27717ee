"""The weights that a bundle really stores, put back into transformers' own model.

A quantised graph is exact if it computes what transformers computes with the weights as they are stored; how far those
are from the original ones is the price of the quantisation, and another question.
"""

import math
from typing import Any

import torch

from export.config import ExportOptions
from export.lowering import quantisable_linears
from export.quantise import dequantise
from export.quantiser import Quantiser, quantiser_of

_PART_ROWS = 4096


@torch.no_grad()
def use_stored_weights(model: Any, options: ExportOptions) -> None:
    """Replace, in place, every weight of `model` that the bundle quantises by the value it is read back as.

    Encoder and decoder share the parameters, so both passes change. Does nothing for an fp32 bundle.
    """
    if (quantiser := quantiser_of(options.experts, options)) is not None:
        for layer in model.model.decoder.layers:
            scale = layer.router.per_expert_scale
            layer.experts.down_proj.mul_(scale[:, None, None])
            scale.fill_(1.0)
            for weight in (layer.experts.gate_up_proj, layer.experts.down_proj):
                _store(weight, quantiser)
    if (quantiser := quantiser_of(options.linear, options)) is not None:
        for _, _, linear in quantisable_linears(model):
            _store(linear.weight, quantiser)
    if (quantiser := quantiser_of(options.embeddings, options)) is not None:
        _store(model.model.decoder.embed_tokens.weight, quantiser)


def _store(parameter: torch.nn.Parameter, quantiser: Quantiser) -> None:
    """Rows, or experts, a few at a time: several copies of all of them would not fit into memory."""
    for part in parameter.data.split(max(1, _PART_ROWS // math.prod(parameter.shape[1:-1]))):
        part.copy_(torch.from_numpy(dequantise(quantiser(part.float().numpy()))))
