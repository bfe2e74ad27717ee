"""The checkpoint's generation_config.json as the bundle's generation defaults."""

from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.text_files import read_json_object
from runtime.bundle import GenerationDefaults
from runtime.records import RecordError, record_from

GENERATION_FILE = "generation_config.json"

# What transformers' generate falls back to (`DiffusionGemmaGenerationConfig._get_default_generation_params`).
_FALLBACK: dict[str, Any] = {
    "max_denoising_steps": 48,
    "t_min": 0.4,
    "t_max": 0.8,
    "stability_threshold": 1,
    "confidence_threshold": 0.005,
    "max_new_tokens": 256,
}
_FALLBACK_ENTROPY_BOUND = 0.1
_SAMPLER = "EntropyBoundSamplerConfig"


def read_generation_defaults(folder: Path, config: Any) -> GenerationDefaults:
    """Read generation_config.json of the checkpoint; what it leaves open is what transformers would use.

    Args:
        folder: the checkpoint.
        config: transformers' DiffusionGemmaConfig, for token ids that the file does not give.

    Raises:
        ExportError: the file is missing, names another sampler, or holds a value that cannot be.
    """
    data = read_json_object(folder / GENERATION_FILE)
    values = {key: fallback if data.get(key) is None else data[key] for key, fallback in _FALLBACK.items()}
    values["entropy_bound"] = _entropy_bound(data.get("sampler_config"))
    values["eos_token_ids"] = _as_list(_first_given(data.get("eos_token_id"), config.text_config.eos_token_id))
    values["pad_token_id"] = _first_given(data.get("pad_token_id"), config.text_config.pad_token_id)
    try:
        return record_from(GenerationDefaults, values, "settings")
    except RecordError as error:
        raise ExportError(f"{GENERATION_FILE} cannot be used: {error}", "Correct the file") from error


def _entropy_bound(sampler: Any) -> Any:
    if sampler is None:
        return _FALLBACK_ENTROPY_BOUND
    if not isinstance(sampler, dict) or sampler.get("_cls_name", _SAMPLER) != _SAMPLER:
        raise ExportError(
            f"sampler_config in {GENERATION_FILE} is not an {_SAMPLER}", "Only the entropy-bound sampler is supported"
        )
    return sampler.get("entropy_bound", _FALLBACK_ENTROPY_BOUND)


def _first_given(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]
