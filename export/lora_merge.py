"""The weights of an adapter added to those of a checkpoint, one matrix after another.

Encoder and decoder of the model share their weights, an adapter has tensors of its own for each. A shared weight gets
the changes of both, as it does from PEFT's own merge, except where both are the same: then they were trained as one,
and count once.
"""

from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from export.errors import ExportError
from export.lora import ADAPTER_WEIGHTS_FILE, LoraAdapter, LoraTarget

ENCODER = "model.encoder.language_model."
DECODER = "model.decoder."


class LoraChanges:
    """What an adapter changes, by the name that the checkpoint stores a weight under."""

    def __init__(self, adapter: LoraAdapter) -> None:
        self.adapter = adapter
        self._tensors = safe_open(adapter.weights, framework="pt")
        self._last: tuple[LoraTarget, Tensor, Tensor] | None = None
        self.of: dict[str, list[LoraTarget]] = {}
        for target in adapter.targets:
            same = self.of.setdefault(_stored_name(target), [])
            if not any(_is_same(self._tensors, target, other) for other in same):
                same.append(target)

    @torch.no_grad()
    def add(self, name: str, start: int, part: Tensor) -> None:
        """Change a piece of a weight in place.

        Args:
            name: of the weight in the checkpoint.
            start: index of the piece's first row, or of its first expert.
            part: [rows, in] or [experts, out, in].

        Raises:
            ExportError: a tensor of the adapter holds a number that is not finite.
        """
        for target in self.of.get(name, ()):
            a, b = self._pair(target)
            if part.ndim == 2:
                part.add_(b[start : start + len(part)] @ a, alpha=target.scale)
                continue
            experts = target.shape[0]
            a = a.reshape(experts, -1, a.shape[-1])
            b = b.reshape(b.shape[0], -1, experts)
            for offset, matrix in enumerate(part):
                matrix.add_(b[:, :, start + offset] @ a[start + offset], alpha=target.scale)

    def _pair(self, target: LoraTarget) -> tuple[Tensor, Tensor]:
        """A and B; those of the last target are kept, because a stack of experts asks for them once an expert."""
        if self._last is None or self._last[0] is not target:
            a, b = (_read(self._tensors, tensor) for tensor in target.names)
            self._last = (target, a, b)
        return self._last[1:]


def merge_lora(model: Any, adapter: LoraAdapter) -> None:
    """Change the weights of `model` in place.

    Raises:
        ExportError: a tensor holds a number that is not finite.
    """
    changes = LoraChanges(adapter)
    for name in changes.of:
        changes.add(name, 0, model.get_parameter(name).data)


def describe_lora(adapter: LoraAdapter) -> str:
    """One line: how many weights it changes, and what that means for the two passes."""
    changes = LoraChanges(adapter)
    applied = [target for targets in changes.of.values() for target in targets]
    sides = {target.parameter.startswith(ENCODER) for target in applied}
    told = f"merging the adapter {adapter.folder.name} into {len(changes.of)} weights"
    if len(adapter.targets) > len(applied):
        return f"{told}, the same change for encoder and decoder"
    if sides == {True, False}:
        return f"{told}: encoder and decoder were trained apart, the shared weights get both changes"
    return f"{told}: it was trained on the {'encoder' if True in sides else 'decoder'} alone, both share the weights"


def _is_same(tensors: Any, one: LoraTarget, other: LoraTarget) -> bool:
    pairs = zip(one.names, other.names, strict=True)
    return one.scale == other.scale and all(
        torch.equal(tensors.get_tensor(left), tensors.get_tensor(right)) for left, right in pairs
    )


def _stored_name(target: LoraTarget) -> str:
    """The decoder's name of a weight that it shares with the encoder."""
    return (
        DECODER + target.parameter.removeprefix(ENCODER) if target.parameter.startswith(ENCODER) else target.parameter
    )


def _read(tensors: Any, name: str) -> Tensor:
    tensor: Tensor = tensors.get_tensor(name).float()
    if not tensor.isfinite().all():
        raise ExportError(
            f"tensor {name} in {ADAPTER_WEIGHTS_FILE} holds a number that is not finite", "Train the adapter again"
        )
    return tensor
