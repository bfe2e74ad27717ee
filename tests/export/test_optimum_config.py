"""What the exporter tells Optimum about DiffusionGemma."""

import pytest
from optimum.exporters.tasks import TasksManager
from transformers import DiffusionGemmaForBlockDiffusion

from export.geometry import geometry_of
from export.optimum_config import (
    BACKEND,
    MODEL_TYPE,
    TASK,
    DiffusionGemmaStepConfig,
    exporter_config_for,
    model_class_for,
)
from runtime.bundle import step_signature
from tests.checkpoints import tiny_config


@pytest.fixture(scope="module")
def config():
    return tiny_config()


def test_the_config_is_registered(config):
    tasks = TasksManager.get_supported_tasks_for_model_type(MODEL_TYPE, BACKEND, library_name="transformers")
    assert list(tasks) == [TASK]
    assert isinstance(exporter_config_for(config), DiffusionGemmaStepConfig)


def test_the_model_class_is_the_one_of_the_checkpoint(config):
    mapping = model_class_for(MODEL_TYPE)._model_mapping
    assert mapping[type(config)] is DiffusionGemmaForBlockDiffusion


def test_names_and_dynamic_axes_are_those_of_the_bundle_format(config):
    described, signature = exporter_config_for(config), step_signature(geometry_of(config))
    assert list(described.inputs) == [spec.name for spec in signature.inputs]
    assert list(described.outputs) == [spec.name for spec in signature.outputs]
    assert described.inputs["past_key_1"] == {0: "batch", 2: "prefix"}
    assert described.inputs["denoise"] == {}
    assert described.outputs["next_soft_embeddings"] == {0: "batch", 1: "rows"}


def test_example_inputs_fit_the_signature(config):
    example = exporter_config_for(config).generate_dummy_inputs(framework="pt")
    sizes = {}
    for spec in step_signature(geometry_of(config)).inputs:
        tensor = example[spec.name]
        assert str(tensor.dtype) == f"torch.{spec.dtype}"
        assert tensor.dim() == len(spec.shape)
        for size, name in zip(tensor.shape, spec.shape, strict=True):
            assert sizes.setdefault(name, size) == size if isinstance(name, str) else size == name
    # Equal or trivial sizes would be traced as one axis, or as constants.
    assert len(set(sizes.values())) == len(sizes) == 4
    assert min(sizes.values()) > 1
