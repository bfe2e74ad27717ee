"""The weights of an adapter added to those of a model, one matrix after another.

Encoder and decoder of the model share their weights, an adapter has tensors of its own for each. A shared weight gets
the changes of both, as it does from PEFT's own merge, except where both are the same: then they were trained as one,
and count once.
"""

from collections.abc import Iterator
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from export.errors import ExportError
from export.lora import ADAPTER_WEIGHTS_FILE, LoraAdapter, LoraTarget

ENCODER = "model.encoder.language_model."
DECODER = "model.decoder."


@torch.no_grad()
def merge_lora(model: Any, adapter: LoraAdapter) -> None:
    """Change the weights of `model` in place; no more than one matrix exists twice at a time.

    Raises:
        ExportError: a tensor holds a number that is not finite.
    """
    with safe_open(adapter.weights, framework="pt") as tensors:
        for target in _applied(tensors, adapter):
            a, b = (_read(tensors, name) for name in target.names)
            weight = model.get_parameter(target.parameter)
            for matrix, left, right in _matrices(weight, a, b):
                matrix.add_(left @ right, alpha=target.scale)


def describe_lora(adapter: LoraAdapter) -> str:
    """One line: how many weights it changes, and what that means for the two passes."""
    with safe_open(adapter.weights, framework="pt") as tensors:
        applied = list(_applied(tensors, adapter))
    sides = {target.parameter.startswith(ENCODER) for target in applied}
    told = f"merging the adapter {adapter.folder.name} into {len({_shared(target) for target in applied})} weights"
    if len(adapter.targets) > len(applied):
        return f"{told}, the same change for encoder and decoder"
    if sides == {True, False}:
        return f"{told}: encoder and decoder were trained apart, the shared weights get both changes"
    return f"{told}: it was trained on the {'encoder' if True in sides else 'decoder'} alone, both share the weights"


def _applied(tensors: Any, adapter: LoraAdapter) -> Iterator[LoraTarget]:
    """Every target, one of two that are the same change of the same weight."""
    decoder = {_shared(target): target for target in adapter.targets if target.parameter.startswith(DECODER)}
    for target in adapter.targets:
        other = decoder.get(_shared(target))
        if other is None or other is target or not _is_same(tensors, target, other):
            yield target


def _is_same(tensors: Any, one: LoraTarget, other: LoraTarget) -> bool:
    pairs = zip(one.names, other.names, strict=True)
    return one.scale == other.scale and all(
        torch.equal(tensors.get_tensor(left), tensors.get_tensor(right)) for left, right in pairs
    )


def _shared(target: LoraTarget) -> str:
    """One name for a weight of the encoder and the weight of the decoder that it is."""
    return target.parameter.removeprefix(ENCODER).removeprefix(DECODER)


def _read(tensors: Any, name: str) -> Tensor:
    tensor: Tensor = tensors.get_tensor(name).float()
    if not tensor.isfinite().all():
        raise ExportError(
            f"tensor {name} in {ADAPTER_WEIGHTS_FILE} holds a number that is not finite", "Train the adapter again"
        )
    return tensor


def _matrices(weight: Tensor, a: Tensor, b: Tensor) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Each matrix of a weight with its part of B and of A."""
    if weight.ndim == 2:
        yield weight, b, a
        return
    experts = weight.shape[0]
    a = a.reshape(experts, -1, a.shape[-1])
    b = b.reshape(b.shape[0], -1, experts)
    for expert in range(experts):
        yield weight[expert], b[:, :, expert], a[expert]
