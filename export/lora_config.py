"""adapter_config.json of a LoRA adapter, in the format of the library PEFT."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.text_files import read_json_object

ADAPTER_CONFIG_FILE = "adapter_config.json"

# What changes more than W + scale * B A; each is off when null, false or empty.
_UNSUPPORTED = (
    *("alora_invocation_tokens", "arrow_config", "kasa_config", "layer_replication", "lora_bias", "megatron_config"),
    *("modules_to_save", "monteclora_config", "trainable_token_indices", "use_bdlora", "use_dora", "use_qalora"),
    "velora_config",
)
# Starting points that leave the base weights as they are; the others take something out of them.
_HARMLESS_STARTS = (True, False, None, "gaussian", "eva", "orthogonal")
_LAYER = re.compile(r".*?\.[^.]*\.(\d+)\.")

Names = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoraConfig:
    """What an adapter says about itself.

    Attributes:
        rank: r, where no pattern says otherwise.
        alpha: lora_alpha, likewise.
        rslora: scale with alpha / sqrt(r) instead of alpha / r.
        target_modules: names, or ends of names, of linear layers, or one regular expression for whole names.
        exclude_modules: those that are no targets after all, likewise.
        target_parameters: names, or ends of names, of parameters.
        layers: numbers of the layers that the targets are in; empty for all.
        layers_pattern: names of the lists that these numbers count in; empty for any.
        rank_pattern, alpha_pattern: by regular expression for the end of a name.
    """

    rank: int
    alpha: float
    rslora: bool = False
    target_modules: Names = ()
    exclude_modules: Names = ()
    target_parameters: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    layers_pattern: tuple[str, ...] = ()
    rank_pattern: Mapping[str, int] = field(default_factory=dict)
    alpha_pattern: Mapping[str, float] = field(default_factory=dict)

    def targets_module(self, name: str) -> bool:
        """Whether the linear layer of this name is a target."""
        if _matches(self.exclude_modules, name) or not _matches(self.target_modules, name):
            return False
        if isinstance(self.target_modules, str) or name in self.target_modules or not self.layers:
            return True
        patterns = [rf"(?:^|.*?\.){pattern}\.(\d+)\." for pattern in self.layers_pattern] or [_LAYER.pattern]
        found = next((match for pattern in patterns if (match := re.match(pattern, name))), None)
        return found is not None and int(found[1]) in self.layers

    def targets_parameter(self, name: str) -> bool:
        """Whether the parameter of this name is a target by itself."""
        return _ends(self.target_parameters, name)

    def rank_of(self, name: str) -> int:
        """Rank of the target of this name."""
        return int(_by_pattern(self.rank_pattern, name, self.rank))

    def scale_of(self, name: str) -> float:
        """Factor of B A for the target of this name."""
        rank, alpha = self.rank_of(name), float(_by_pattern(self.alpha_pattern, name, self.alpha))
        return alpha / math.sqrt(rank) if self.rslora else alpha / rank


def read_lora_config(folder: Path) -> LoraConfig:
    """Read and check the config in the folder of an adapter.

    fan_in_fan_out is read over, as PEFT does for layers that are not transposed; all of this model's are such.

    Raises:
        ExportError: it is missing, not of LoRA, or asks for something that no merged weight can hold.
    """
    data = read_json_object(folder / ADAPTER_CONFIG_FILE)
    if data.get("peft_type") != "LORA":
        raise _refusal(f"has peft_type {data.get('peft_type')!r}", 'Only adapters of type "LORA" can be merged')
    for key in _UNSUPPORTED:
        if data.get(key):
            raise _refusal(f"sets {key}", "Only plain LoRA can be merged: train without it")
    if data.get("bias", "none") != "none":
        raise _refusal(f"has bias {data['bias']!r}", 'Train with bias "none"')
    if data.get("init_lora_weights", True) not in _HARMLESS_STARTS:
        raise _refusal(
            f"has init_lora_weights {data['init_lora_weights']!r}, which changes the base weights",
            "Save the adapter with path_initial_model_for_weight_conversion",
        )
    config = LoraConfig(
        rank=_rank("r", data.get("r")),
        alpha=_number("lora_alpha", data.get("lora_alpha")),
        rslora=bool(data.get("use_rslora")),
        target_modules=_names("target_modules", data.get("target_modules")),
        exclude_modules=_names("exclude_modules", data.get("exclude_modules")),
        target_parameters=_list("target_parameters", data.get("target_parameters")),
        layers=_layers(data.get("layers_to_transform")),
        layers_pattern=_list("layers_pattern", data.get("layers_pattern")),
        rank_pattern={key: _rank(f"rank_pattern.{key}", value) for key, value in _pattern("rank", data)},
        alpha_pattern={key: _number(f"alpha_pattern.{key}", value) for key, value in _pattern("alpha", data)},
    )
    if config.target_parameters and data.get("fan_in_fan_out"):
        raise _refusal("sets fan_in_fan_out and target_parameters", "PEFT has no such adapters: correct the file")
    return config


def _matches(names: Names, name: str) -> bool:
    if isinstance(names, str):
        return names == "all-linear" or re.fullmatch(names, name) is not None
    return _ends(names, name)


def _ends(names: tuple[str, ...], name: str) -> bool:
    return any(name == target or name.endswith(f".{target}") for target in names)


def _by_pattern(patterns: Mapping[str, float], name: str, default: float) -> float:
    return next((value for key, value in patterns.items() if re.match(rf"(.*\.)?({key})$", name)), default)


def _rank(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _refusal(f"has {key} {value!r}", "Give a whole number from 1")
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _refusal(f"has {key} {value!r}", "Give a number")
    return float(value)


def _names(key: str, value: object) -> Names:
    if not isinstance(value, str):
        return _list(key, value)
    _check_expression(key, value)
    return value


def _list(key: str, value: object) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value or []
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise _refusal(f"has {key} {value!r}", "Give a list of names")
    return tuple(given)


def _layers(value: object) -> tuple[int, ...]:
    given = [value] if isinstance(value, int) else value or []
    if not isinstance(given, list) or not all(isinstance(number, int) for number in given):
        raise _refusal(f"has layers_to_transform {value!r}", "Give a list of whole numbers")
    return tuple(given)


def _pattern(kind: str, data: Mapping[str, Any]) -> list[tuple[str, Any]]:
    given = data.get(f"{kind}_pattern") or {}
    if not isinstance(given, dict):
        raise _refusal(f"has {kind}_pattern {given!r}", "Give an object of names and numbers")
    for key in given:
        _check_expression(f"{kind}_pattern", key)
    return list(given.items())


def _check_expression(key: str, value: str) -> None:
    try:
        re.compile(value)
    except re.error as error:
        raise _refusal(f"has {key} {value!r}, which is no regular expression: {error}", "Correct it") from error


def _refusal(what: str, hint: str) -> ExportError:
    return ExportError(f"{ADAPTER_CONFIG_FILE} {what}", hint)
