"""DiffusionGemma described to Optimum's exporter machinery.

The tracer takes example inputs, names and dynamic axes from here, the loader its model class, both through Optimum's
`TasksManager`. The names and shapes themselves come from the bundle format's own signature, so there is one definition.
"""

from typing import Any

from optimum.exporters.base import ExporterConfig
from optimum.exporters.tasks import TasksManager
from optimum.utils import DummyInputGenerator
from optimum.utils.normalized_config import NormalizedConfig

from export.geometry import geometry_of
from runtime.bundle import TensorSpec, step_signature

BACKEND = "palaver"
MODEL_TYPE = "diffusion_gemma"
# transformers lists DiffusionGemma under this task: the checkpoint reads images too, the step graph leaves that out.
TASK = "image-text-to-text"

# Sizes of the example inputs. They are pairwise different and none is 0 or 1, because the tracer takes equal sizes for
# one axis and 0 and 1 for constants.
_EXAMPLE_SIZES = {"batch": 2, "length": 7, "rows": 5, "prefix": 3}

register_step_config = TasksManager.create_register(BACKEND, overwrite_existing=True)


class DiffusionGemmaNormalizedConfig(NormalizedConfig):  # type: ignore[misc, unused-ignore]
    """Optimum's names for the sizes of the text model inside the checkpoint's config."""

    VOCAB_SIZE = "text_config.vocab_size"
    HIDDEN_SIZE = "text_config.hidden_size"
    NUM_LAYERS = "text_config.num_hidden_layers"


class _StepInputGenerator(DummyInputGenerator):  # type: ignore[misc, unused-ignore]
    """Example inputs whose shape follows from the signature; subclasses say which inputs and which values."""

    def __init__(self, task: str, normalized_config: DiffusionGemmaNormalizedConfig, **_sizes: int) -> None:
        self.task = task
        self.vocab_size = normalized_config.vocab_size
        signature = step_signature(geometry_of(normalized_config.config))
        self.shapes = {spec.name: _example_shape(spec) for spec in signature.inputs}


class CanvasInputGenerator(_StepInputGenerator):
    """Token ids, self-conditioning and the sampler's inputs of one pass."""

    SUPPORTED_INPUT_NAMES = (
        "input_ids",
        "soft_embeddings",
        "denoise",
        "pad_length",
        "logit_rows",
        "temperature",
        "uniform",
        "scored_ids",
    )

    def generate(
        self, input_name: str, framework: str = "pt", int_dtype: str = "int64", float_dtype: str = "fp32"
    ) -> Any:
        shape = self.shapes[input_name]
        if input_name == "denoise":
            return self.constant_tensor(shape, value=True, framework=framework)
        if input_name in ("soft_embeddings", "uniform"):
            return self.random_float_tensor(shape, framework=framework, dtype=float_dtype)
        if input_name == "temperature":
            return self.random_float_tensor(shape, min_value=0.4, max_value=0.8, framework=framework, dtype=float_dtype)
        # Exclusive upper limits that are valid for the shapes above.
        limits = {
            "input_ids": self.vocab_size,
            "pad_length": 2,
            "logit_rows": _EXAMPLE_SIZES["length"],
            "scored_ids": self.vocab_size,
        }
        return self.random_int_tensor(shape, max_value=limits[input_name], framework=framework, dtype=int_dtype)


class PrefixInputGenerator(_StepInputGenerator):
    """Keys and values of the positions that are already encoded."""

    SUPPORTED_INPUT_NAMES = ("past_key_", "past_value_")

    def generate(
        self, input_name: str, framework: str = "pt", int_dtype: str = "int64", float_dtype: str = "fp32"
    ) -> Any:
        shape = self.shapes[input_name]
        return self.random_float_tensor(shape, min_value=-1, max_value=1, framework=framework, dtype=float_dtype)


@register_step_config(MODEL_TYPE, TASK)
class DiffusionGemmaStepConfig(ExporterConfig):  # type: ignore[misc, unused-ignore]
    """Inputs, outputs and dynamic axes of the step graph."""

    NORMALIZED_CONFIG_CLASS = DiffusionGemmaNormalizedConfig
    DUMMY_INPUT_GENERATOR_CLASSES = (CanvasInputGenerator, PrefixInputGenerator)
    ATOL_FOR_VALIDATION = 1e-4

    @property
    def inputs(self) -> dict[str, dict[int, str]]:
        """Dynamic axes of every input, in the graph's order."""
        return {spec.name: _dynamic_axes(spec) for spec in step_signature(geometry_of(self._config)).inputs}

    @property
    def outputs(self) -> dict[str, dict[int, str]]:
        """Dynamic axes of every output, in the graph's order."""
        return {spec.name: _dynamic_axes(spec) for spec in step_signature(geometry_of(self._config)).outputs}

    @property
    def borders(self) -> list[str]:
        """Names of the hidden states that leave each layer; they are no outputs of the finished graph."""
        return [f"hidden_{layers}" for layers in range(1, len(geometry_of(self._config).layers) + 1)]

    @property
    def values_override(self) -> None:
        """Nothing of the model's config is overridden: the step module passes its own cache."""
        return None


def exporter_config_for(config: Any) -> DiffusionGemmaStepConfig:
    """Return the registered exporter config for transformers' `config`.

    Raises:
        KeyError: Optimum knows no exporter of this backend for the config's model type.
    """
    constructor = TasksManager.get_exporter_config_constructor(
        BACKEND, model_type=config.model_type, task=TASK, library_name="transformers"
    )
    exporter_config: DiffusionGemmaStepConfig = constructor(config)
    return exporter_config


def model_class_for(model_type: str) -> Any:
    """Return the transformers auto class that loads `model_type`."""
    return TasksManager.get_model_class_for_task(TASK, model_type=model_type, library="transformers")


def _example_shape(spec: TensorSpec) -> list[int]:
    return [_EXAMPLE_SIZES[size] if isinstance(size, str) else size for size in spec.shape]


def _dynamic_axes(spec: TensorSpec) -> dict[int, str]:
    return {axis: size for axis, size in enumerate(spec.shape) if isinstance(size, str)}
