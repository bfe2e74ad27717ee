"""A LoRA adapter, accounted for by its headers: none of its tensors missing, left over, or of another shape."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from export.errors import ExportError
from export.lora_config import ADAPTER_CONFIG_FILE, LoraConfig, read_lora_config
from export.safetensors_header import TensorHeader, read_header
from export.tensor_check import VISION_PREFIXES

ADAPTER_WEIGHTS_FILE = "adapter_model.safetensors"
_PREFIX = "base_model.model."
_FLOAT_TYPES = ("F32", "F16", "BF16")


@dataclass(frozen=True, slots=True)
class LoraTarget:
    """One weight that an adapter changes.

    Attributes:
        parameter: its name in the model.
        tensors: name in the adapter of A and of B, without their ends.
        shape: of the weight, [out, in] or [experts, out, in].
        rank, scale: the weight becomes W + scale * B A.
    """

    parameter: str
    tensors: str
    shape: tuple[int, ...]
    rank: int
    scale: float

    @property
    def names(self) -> tuple[str, str]:
        """Names of A and B in the adapter's file."""
        return f"{_PREFIX}{self.tensors}.lora_A.weight", f"{_PREFIX}{self.tensors}.lora_B.weight"

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shapes of A and B; experts lie one after another in A's rows, and in turns in B's columns."""
        *experts, out_features, in_features = self.shape
        inner = self.rank * (experts[0] if experts else 1)
        return (inner, in_features), (out_features, inner)


@dataclass(frozen=True, slots=True)
class LoraAdapter:
    """An adapter that fits a model.

    Attributes:
        folder: where it lies.
        targets: what it changes, in the model's order.
        revision: SHA-256 over its config and its weights.
    """

    folder: Path
    targets: tuple[LoraTarget, ...]
    revision: str

    @property
    def weights(self) -> Path:
        """The file with its tensors."""
        return self.folder / ADAPTER_WEIGHTS_FILE


def open_lora(folder: Path, model_class: Any, config: Any) -> LoraAdapter:
    """Read the small file of an adapter and account for every tensor of the large one by its header.

    What it has for the vision tower is not looked at: that part of the model is left out.

    Args:
        folder: with adapter_config.json and adapter_model.safetensors, as PEFT writes them.
        model_class, config: of the checkpoint it is for.

    Raises:
        ExportError: names the file, setting or tensor that is missing, damaged, unknown or of another shape.
    """
    if not folder.is_dir():
        raise ExportError(f"{folder} is not a folder", f"Give the folder that holds {ADAPTER_CONFIG_FILE}")
    lora = read_lora_config(folder)
    path = folder / ADAPTER_WEIGHTS_FILE
    if not path.is_file():
        raise ExportError(f"{ADAPTER_WEIGHTS_FILE} is missing from {folder}", "Save the adapter in safetensors format")
    with torch.device("meta"):
        model = model_class.from_config(config)
    targets = tuple(_targets(model, lora))
    if not targets:
        raise ExportError(
            f"{ADAPTER_CONFIG_FILE} targets nothing that is in the model", "Check that it belongs to this checkpoint"
        )
    _check(targets, read_header(path).tensors)
    digest = hashlib.sha256((folder / ADAPTER_CONFIG_FILE).read_bytes())
    with path.open("rb") as stream:
        while part := stream.read(1 << 22):
            digest.update(part)
    return LoraAdapter(folder, targets, digest.hexdigest())


def _targets(model: nn.Module, lora: LoraConfig) -> Iterator[LoraTarget]:
    for name, module in model.named_modules():
        if f"{name}.".startswith(VISION_PREFIXES):
            continue
        if isinstance(module, (nn.Linear, nn.Embedding)) and lora.targets_module(name):
            if name == "lm_head" and lora.target_modules == "all-linear":
                continue
            if not isinstance(module, nn.Linear) or name == "lm_head":
                raise ExportError(
                    f"{ADAPTER_CONFIG_FILE} targets {name}",
                    "Embedding and head are one weight here: train an adapter without them",
                )
            yield _target(lora, f"{name}.weight", name, name, module.weight)
        parameters = [
            (f"{name}.{last}", parameter)
            for last, parameter in module.named_parameters(recurse=False)
            if lora.targets_parameter(f"{name}.{last}")
        ]
        for depth, (full, parameter) in enumerate(reversed(parameters)):
            if parameter.ndim not in (2, 3):
                raise ExportError(f"{ADAPTER_CONFIG_FILE} targets {full}", "Only matrices can be targets")
            # PEFT wraps the module once a parameter; the first one ends up innermost.
            yield _target(lora, full, full, name + depth * ".base_layer", parameter)


def _target(lora: LoraConfig, parameter: str, key: str, tensors: str, weight: torch.Tensor) -> LoraTarget:
    return LoraTarget(parameter, tensors, tuple(weight.shape), lora.rank_of(key), lora.scale_of(key))


def _check(targets: tuple[LoraTarget, ...], found: dict[str, TensorHeader]) -> None:
    expected = {name: shape for target in targets for name, shape in zip(target.names, target.shapes, strict=True)}
    for name, shape in expected.items():
        if name not in found:
            raise ExportError(
                f"tensor {name} is missing from {ADAPTER_WEIGHTS_FILE}",
                f"Check that {ADAPTER_CONFIG_FILE} belongs to these weights",
            )
        header = found[name]
        if header.shape != shape:
            raise ExportError(
                f"tensor {name} in {header.file} has shape {list(header.shape)} instead of {list(shape)}",
                "Check that the adapter was trained on this checkpoint",
            )
        if header.dtype not in _FLOAT_TYPES:
            raise ExportError(f"tensor {name} in {header.file} has type {header.dtype}", "Save it as plain floats")
    vision = tuple(f"{_PREFIX}{prefix}" for prefix in VISION_PREFIXES)
    if unknown := next((name for name in found if name not in expected and not name.startswith(vision)), None):
        raise ExportError(
            f"tensor {unknown} in {ADAPTER_WEIGHTS_FILE} belongs to no target of {ADAPTER_CONFIG_FILE}",
            "Check that the adapter was trained on this checkpoint",
        )
