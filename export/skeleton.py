"""The step module of a checkpoint without its weights: shapes and types, and who makes the values."""

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from export.config import ExportOptions
from export.lowering import lower
from export.optimum_config import MODEL_TYPE, model_class_for
from export.step_model import StepModel


def build_skeleton(config: Any, options: ExportOptions) -> StepModel:
    """transformers' model of `config`, lowered and made a step, with tensors that take no memory.

    Everything that is computed with them has to be done in their own mode, `next(step.parameters()).fake_mode`.
    """
    with FakeTensorMode():
        model = model_class_for(MODEL_TYPE).from_config(config, dtype=torch.float32)
        lower(model, options)
        step: StepModel = StepModel(model).eval()
        return step
