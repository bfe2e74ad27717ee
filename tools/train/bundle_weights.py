"""The weights of a bundle, put back into transformers' own model: where fine-tuning starts from.

Weights that the bundle stores in 4 or 8 bits become what they stand for, so that the model computes what the bundle
does; the per-expert scales, which the bundle has multiplied into the experts, are one.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import DiffusionGemmaForBlockDiffusion

from export.geometry import geometry_of
from export.quantise import QuantisedWeight, dequantise
from runtime.bundle import load_bundle
from runtime.errors import BundleError
from tools.train import tokenizer as tokens
from tools.train.pocket import pocket_config

Arrays = dict[str, NDArray[Any]]

_SCALARS = ("encoder_scalars.", "decoder_scalars.")  # of each layer, which training leaves at one
_PROJECTIONS = ("q_proj", "k_proj", "v_proj")
_EXPERTS = {"gate_up_proj": "gate_up", "down_proj": "down"}


def load_pocket_bundle(folder: Path) -> tuple[DiffusionGemmaForBlockDiffusion, Tokenizer]:
    """The model and the tokenizer of a bundle that was made from a pocket model.

    Raises:
        BundleError: the bundle cannot be loaded, or is of another model or tokenizer than this version trains.
    """
    bundle = load_bundle(folder)
    geometry = bundle.manifest.geometry
    config = pocket_config(geometry.vocab_size)
    if geometry_of(config) != geometry:
        raise _other_model(folder, "its geometry is another one")
    if any(bundle.tokenizer.token_to_id(name) != number for number, name in enumerate(tokens.SPECIAL_TOKENS)):
        raise _other_model(folder, "its special tokens are others")
    arrays = stored_arrays(folder, tuple(bundle.graphs))
    if bundle.manifest.quantisation.linear == "fp32":
        raise _other_model(folder, "its linear layers are not stored in 4 or 8 bits")
    if any((array != 1).any() for name, array in arrays.items() if name.startswith(_SCALARS)):
        raise _other_model(folder, "its layers are scaled")
    model = DiffusionGemmaForBlockDiffusion(config)
    fill(model, arrays, bundle.manifest.quantisation.block_size, folder)
    return model, bundle.tokenizer


def stored_arrays(folder: Path, graphs: tuple[str, ...]) -> Arrays:
    """Every weight of the graphs under the name that the exporter gave it."""
    return {
        stored.name: onnx.numpy_helper.to_array(stored, str(folder))
        for name in graphs
        for stored in onnx.load(str(folder / name), load_external_data=False).graph.initializer
    }


@torch.no_grad()
def fill(model: DiffusionGemmaForBlockDiffusion, arrays: Arrays, block_size: int, folder: Path) -> None:
    """Put `arrays` into the decoder of `model`, with which the encoder shares its weights.

    Raises:
        BundleError: one is missing or has another shape.
    """
    decoder = model.model.decoder
    for name, parameter in decoder.named_parameters():
        array = _stored(name, parameter, arrays, block_size, decoder)
        if array is None or array.shape != tuple(parameter.shape):
            raise _other_model(folder, f"no weight in it fits {name}")
        parameter.copy_(torch.from_numpy(np.array(array, dtype=np.float32)))


def _stored(name: str, parameter: torch.Tensor, arrays: Arrays, block_size: int, decoder: Any) -> NDArray[Any] | None:
    full = f"decoder.{name}"
    module, _, last = full.rpartition(".")
    if last == "per_expert_scale":
        return np.ones(tuple(parameter.shape), dtype=np.float32)
    if full in arrays:
        return arrays[full]
    if last in _EXPERTS:
        return _experts(arrays, f"{module}.{_EXPERTS[last]}", block_size, is_fused=last == "gate_up_proj")
    if (weight := _linear(arrays, module, parameter.shape[-1], block_size)) is not None:
        return weight
    return _joined(arrays, module, parameter.shape[-1], block_size, decoder)


def _linear(arrays: Arrays, module: str, in_features: int, block_size: int) -> NDArray[Any] | None:
    if (packed := arrays.get(f"{module}.packed")) is None:
        return None
    zero_points = arrays.get(f"{module}.zero_points")
    return _dequantised(packed, arrays[f"{module}.scales"], zero_points, in_features, block_size)


def _joined(arrays: Arrays, module: str, in_features: int, block_size: int, decoder: Any) -> NDArray[Any] | None:
    """One of the projections that lie side by side in one product, under the name of any of them."""
    attention, _, wanted = module.rpartition(".")
    whole = _linear(arrays, f"{attention}.joined_proj.linear", in_features, block_size)
    if whole is None:
        return None
    owner = decoder.get_submodule(attention.removeprefix("decoder."))
    projections = {name: getattr(owner, name, None) for name in _PROJECTIONS}
    first = 0
    for name, projection in projections.items():
        size = 0 if projection is None else int(projection.out_features)
        if name == wanted:
            return whole[first : first + size]
        first += size
    return None


def _experts(arrays: Arrays, name: str, block_size: int, *, is_fused: bool) -> NDArray[Any] | None:
    if (stored := arrays.get(name)) is None:
        return None
    weight: NDArray[Any] = stored
    if (scales := arrays.get(f"{name}_scales")) is not None:
        zero_points = arrays.get(f"{name}_zero_points")
        weight = _dequantised(stored, scales, zero_points, 2 * stored.shape[-1], block_size)
    # The graph has gate and up in turns, transformers all of the gate first.
    return np.concatenate([weight[:, 0::2], weight[:, 1::2]], axis=1) if is_fused else weight


def _dequantised(
    packed: NDArray[Any], scales: NDArray[Any], zero_points: NDArray[Any] | None, in_features: int, block_size: int
) -> NDArray[Any]:
    packed = packed.reshape(*scales.shape, -1)
    bits = 8 * packed.shape[-1] // block_size
    return dequantise(QuantisedWeight(packed, scales, bits, block_size, in_features, zero_points))


def _other_model(folder: Path, reason: str) -> BundleError:
    return BundleError(
        f"{folder} was not made from a pocket model of this version: {reason}",
        "Give the bundle that comes with Palaver, or one that was fine-tuned from it",
    )
