"""The weights that a bundle really stores, put back into transformers' own model.

A quantised graph is exact if it computes what transformers computes with the weights as they are stored; how far those
are from the original ones is the price of the quantisation, and another question.
"""

from typing import Any

import torch

from export.config import ExportOptions
from export.lowered_experts import as_numpy, fold_scale
from export.lowering import quantisable_linears
from export.quantise import FloatArray, dequantise, quantisation_bits, quantise


@torch.no_grad()
def use_stored_weights(model: Any, options: ExportOptions) -> None:
    """Replace, in place, every weight of `model` that the bundle quantises by the value it is read back as.

    Encoder and decoder share the parameters, so both passes change. Does nothing for an fp32 bundle.
    """
    block_size = options.block_size
    if (bits := quantisation_bits(options.experts)) is not None:
        for layer in model.model.decoder.layers:
            experts, scale = layer.experts, layer.router.per_expert_scale
            _store(experts.gate_up_proj, as_numpy(experts.gate_up_proj), bits, block_size)
            _store(experts.down_proj, fold_scale(as_numpy(experts.down_proj), as_numpy(scale)), bits, block_size)
            scale.fill_(1.0)
    if (bits := quantisation_bits(options.linear)) is not None:
        for _, _, linear in quantisable_linears(model):
            _store(linear.weight, as_numpy(linear.weight), bits, block_size)


def _store(parameter: torch.nn.Parameter, weight: FloatArray, bits: int, block_size: int) -> None:
    parameter.copy_(torch.from_numpy(dequantise(quantise(weight, bits, block_size))))
