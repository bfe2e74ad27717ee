"""The Hugging Face folder of a checkpoint: all that can be checked before the weights are read, and the model."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers.models.auto import AutoConfig
from transformers.utils import logging as transformers_logging

from export.errors import ExportError
from export.generation_defaults import read_generation_defaults
from export.lora import LoraAdapter, open_lora
from export.lora_merge import merge_lora
from export.optimum_config import MODEL_TYPE, model_class_for
from export.safetensors_header import TensorHeader, read_header
from export.tensor_check import VISION_PREFIXES, check_tensors
from export.text_files import TextFiles, read_file, read_json_object, read_text_files
from runtime.bundle import GenerationDefaults

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"

# Rotary embeddings whose frequencies do not change with the length of the sequence, so that they can be constants.
_FIXED_ROPE_TYPES = ("default", "proportional")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint folder that passed every check short of reading its weights.

    Attributes:
        folder: where it lies.
        config: transformers' DiffusionGemmaConfig.
        generation: from generation_config.json.
        text: tokenizer and chat template.
        revision: SHA-256 over config.json and the headers of the safetensors files, and over an adapter's files.
        tensors: where each tensor lies.
        adapter: LoRA adapter whose changes belong to the weights, None for none.
    """

    folder: Path
    config: Any
    generation: GenerationDefaults
    text: TextFiles
    revision: str
    tensors: dict[str, TensorHeader]
    adapter: LoraAdapter | None = None


def open_checkpoint(folder: Path, lora: Path | None = None) -> Checkpoint:
    """Read the small files of a checkpoint and account for every tensor by its header.

    Args:
        folder: the checkpoint.
        lora: folder of an adapter for it, which is checked in the same way.

    Raises:
        ExportError: names the file or tensor that is missing, damaged or not supported, and the fix.
    """
    if not folder.is_dir():
        raise ExportError(f"{folder} is not a folder", "Give the folder of a Hugging Face checkpoint")
    config = _read_config(folder / CONFIG_FILE)
    text = read_text_files(folder, config.text_config.vocab_size, config.text_config.bos_token_id)
    generation = read_generation_defaults(folder, config)

    digest = hashlib.sha256(read_file(folder / CONFIG_FILE))
    tensors: dict[str, TensorHeader] = {}
    for path in _weight_files(folder):
        header = read_header(path)
        digest.update(header.raw)
        if twice := next((name for name in header.tensors if name in tensors), None):
            raise ExportError(
                f"tensor {twice} is in {tensors[twice].file} and in {path.name}", "Keep only one of the files"
            )
        tensors.update(header.tensors)
    check_tensors(model_class_for(MODEL_TYPE), config, tensors)
    adapter = None
    if lora is not None:
        adapter = open_lora(lora, model_class_for(MODEL_TYPE), config)
        digest.update(adapter.revision.encode("ascii"))
    return Checkpoint(folder, config, generation, text, digest.hexdigest(), tensors, adapter)


def load_model(checkpoint: Checkpoint, dtype: torch.dtype | None = None) -> Any:
    """Load transformers' own model, in evaluation mode, an adapter merged into its weights.

    Args:
        checkpoint: what `open_checkpoint` returned.
        dtype: type of the loaded weights; None keeps the checkpoint's own.

    Raises:
        ExportError: transformers cannot load the weights, or does not use exactly those that are there.
    """
    with _quiet_transformers():
        try:
            model, info = model_class_for(MODEL_TYPE).from_pretrained(
                checkpoint.folder,
                config=checkpoint.config,
                dtype=dtype or "auto",
                output_loading_info=True,
                local_files_only=True,
            )
        # Whatever goes wrong inside the library (I/O, safetensors, shapes): the folder is at fault, and is named.
        except Exception as error:
            raise ExportError(
                f"transformers cannot load the weights in {checkpoint.folder}: {error}",
                "Download or copy the checkpoint again",
            ) from error
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        names = sorted(str(name) for name in info[kind] if not str(name).startswith(VISION_PREFIXES))
        if names:
            raise ExportError(
                f"transformers reports {kind.replace('_', ' ')}, among them {names[0]}",
                "Check that config.json belongs to these weights",
            )
    if checkpoint.adapter is not None:
        merge_lora(model, checkpoint.adapter)
    return model.eval()


def _read_config(path: Path) -> Any:
    data = read_json_object(path)
    model_type = data.get("model_type")
    if model_type != MODEL_TYPE:
        raise ExportError(
            f'{path.name} has model_type "{model_type}"', f'Only "{MODEL_TYPE}" checkpoints can be exported.'
        )
    if data.get("quantization_config") is not None:
        raise ExportError(
            f"{path.name} has a quantization_config", "Give the unquantised checkpoint; the export quantises by itself"
        )
    try:
        config = AutoConfig.from_pretrained(path.parent, local_files_only=True)
    # Strict config classes raise errors of several libraries, all about what is in the file.
    except Exception as error:
        raise ExportError(f"{path.name} is not a valid {MODEL_TYPE} config: {error}", "Correct the file") from error
    _check_supported(path.name, config)
    return config


def _check_supported(name: str, config: Any) -> None:
    """Refuse settings under which the step graph would not compute what transformers does."""
    text = config.text_config
    if not config.tie_word_embeddings:
        raise ExportError(
            f"tie_word_embeddings in {name} is false",
            "Only checkpoints whose encoder, decoder and head share their weights can be exported",
        )
    if text.use_bidirectional_attention == "all":
        raise ExportError(f'use_bidirectional_attention in {name} is "all"', "The encoder has to be causal")
    for kind in set(text.layer_types):
        rope_type = text.rope_parameters[kind]["rope_type"]
        if rope_type not in _FIXED_ROPE_TYPES:
            raise ExportError(
                f'rope_type "{rope_type}" of {kind} in {name} is not supported',
                f"Supported are {' and '.join(_FIXED_ROPE_TYPES)}",
            )


def _weight_files(folder: Path) -> list[Path]:
    """The safetensors files that transformers would read, in the order of their names."""
    single = folder / WEIGHTS_FILE
    if single.exists():
        return [single]
    if not (folder / INDEX_FILE).exists():
        raise ExportError(
            f"{folder} has neither {WEIGHTS_FILE} nor {INDEX_FILE}", "Give a checkpoint in safetensors format"
        )
    weight_map = read_json_object(folder / INDEX_FILE).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise ExportError(f"{INDEX_FILE} has no weight_map", "Download or copy it again")
    paths = [folder / str(name) for name in sorted(set(weight_map.values()))]
    if missing := next((path for path in paths if not path.is_file()), None):
        raise ExportError(
            f"{missing.name}, listed in {INDEX_FILE}, is missing from {folder}", "Download or copy the file"
        )
    return paths


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Keep loading bars and notes about the vision tower (left out here) off the terminal."""
    verbosity = transformers_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()
