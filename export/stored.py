"""What becomes of the tensors of a checkpoint: which weights of the graph are made from which, piece by piece."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from numpy.typing import NDArray
from torch import nn

from export.step_model import StepModel
from export.weight_reader import WeightReader

Pieces = Iterator[tuple[NDArray[Any], ...]]

CHECKPOINT_DECODER = "model."
"""What stands before the name of a decoder's weight in the checkpoint, beside its name in the step module."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Weights of the graph that are made together.

    Attributes:
        sources: names of the checkpoint's tensors that they are made from.
        targets: names of the graph's weights; those of a lowered module are relative to it.
        make: reads the sources and yields pieces of every target, in the order of `targets`; the pieces of a target,
            one behind the other, are its elements in row-major order.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    make: Callable[[WeightReader], Pieces]


def copied(source: str, target: str) -> Stored:
    """A weight that is the checkpoint's own, in float32."""
    return Stored((source,), (target,), lambda reader: ((part,) for part in reader.parts(source)))


def constant(target: str, array: NDArray[Any]) -> Stored:
    """A weight that no tensor of the checkpoint is needed for."""
    return Stored((), (target,), lambda reader: iter([(array,)]))


def stored_by(step: StepModel, config: Any) -> list[Stored]:
    """Everything that the weights of `step` are made from, in the order of its modules.

    Lowered modules say it themselves (their attribute `stored`); the rest is as in the checkpoint, but for what
    transformers computes from `config`.
    """
    found = [
        replace(stored, targets=tuple(f"{name}.{target}" for target in stored.targets))
        for name, module in step.named_modules()
        for stored in getattr(module, "stored", ())
    ]
    found += _scalars(len(step.encoder_scalars))
    found += _computed(step, config)
    known = {target for stored in found for target in stored.targets}
    rest = [name for name, _ in (*step.named_parameters(), *step.named_buffers()) if name not in known]
    return found + [copied(CHECKPOINT_DECODER + name, name) for name in rest]


def _scalars(layers: int) -> Iterator[Stored]:
    """The one weight of a layer that encoder and decoder do not share."""
    for layer in range(layers):
        yield copied(f"model.encoder.language_model.layers.{layer}.layer_scalar", f"encoder_scalars.{layer}")
        yield copied(f"model.decoder.layers.{layer}.layer_scalar", f"decoder_scalars.{layer}")


def _computed(step: StepModel, config: Any) -> Iterator[Stored]:
    rotary: nn.Module = type(step.decoder.rotary_emb)(config.text_config)
    for name, buffer in rotary.named_buffers():
        yield constant(f"decoder.rotary_emb.{name}", buffer.float().numpy())


def joined(sources: Sequence[str], target: str) -> Stored:
    """Tensors one behind the other along their first axis."""
    return Stored(
        tuple(sources), (target,), lambda reader: ((part,) for source in sources for part in reader.parts(source))
    )


def placeholder(*shape: int, dtype: torch.dtype = torch.float32) -> nn.Buffer:
    """A weight without a value, for a module that is traced."""
    return nn.Buffer(torch.empty(shape, dtype=dtype))
