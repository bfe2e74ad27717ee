"""Every tensor of the checkpoint accounted for: none missing, none left over, none of another shape."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from export.errors import ExportError
from export.safetensors_header import TensorHeader

# Images are left out on purpose: no tensor under these names is needed, and those that are there are not looked at.
VISION_PREFIXES = ("model.encoder.vision_tower.", "model.encoder.embed_vision.")

_FLOAT_TYPES = ("F64", "F32", "F16", "BF16")
_SHOWN = 3


def check_tensors(model_class: Any, config: Any, found: Mapping[str, TensorHeader]) -> None:
    """Compare the tensors in the files with those of the model that `config` describes.

    A weight that the model ties to another one (the head, the encoder's text layers) is stored once, under the name of
    its source.

    Raises:
        ExportError: a tensor is missing, has another shape or a type that is not a plain float, or nobody uses it.
    """
    expected = _expected_shapes(model_class, config)
    text = {name: header for name, header in found.items() if not name.startswith(VISION_PREFIXES)}
    for name, header in text.items():
        if header.dtype not in _FLOAT_TYPES:
            raise ExportError(
                f"tensor {name} in {header.file} has type {header.dtype}",
                "Give a checkpoint with plain float weights (bfloat16, float16 or float32)",
            )
    if missing := [name for name in expected if name not in text]:
        raise ExportError(
            f"{listed(missing)} missing from the checkpoint's safetensors files",
            "Download or copy the checkpoint again, or save the model it belongs to",
        )
    if unused := [name for name in text if name not in expected]:
        raise ExportError(
            f"{listed(unused, text[unused[0]].file)} used by no part of the model",
            "Check that config.json belongs to these weights",
        )
    for name, shape in expected.items():
        if text[name].shape != shape:
            raise ExportError(
                f"tensor {name} in {text[name].file} has shape {list(text[name].shape)} instead of {list(shape)}",
                "Check that config.json belongs to these weights",
            )


def _expected_shapes(model_class: Any, config: Any) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):
        model = model_class.from_config(config)
    tied = model.all_tied_weights_keys
    return {
        name: tuple(tensor.shape)
        for name, tensor in model.state_dict().items()
        if name not in tied and not name.startswith(VISION_PREFIXES)
    }


def listed(names: Sequence[str], file: str = "") -> str:
    """Names for the beginning of a sentence: `tensor a in f is`, or `tensors a, b, c and 4 more are`."""
    if len(names) == 1:
        return f"tensor {names[0]}{f' in {file}' if file else ''} is"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"tensors {', '.join(names[:_SHOWN])}{more} are"
