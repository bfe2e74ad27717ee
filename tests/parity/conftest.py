"""Pairs of transformers' model and the bundle that the exporter makes of the same weights."""

import importlib
import warnings
from dataclasses import dataclass

import pytest
import torch

from export.config import ExportOptions
from export.pipeline import export_checkpoint
from export.stored_weights import use_stored_weights
from runtime.bundle import load_bundle
from runtime.denoise import DenoiseSettings
from runtime.samplers.reference import ReferenceSampler
from runtime.session import StepSession
from tests.checkpoints import THREE_LAYERS, VOCAB_SIZE, random_model, save_checkpoint, tiny_config


@dataclass(frozen=True)
class Pair:
    """The two sides of a comparison."""

    reference: torch.nn.Module
    session: StepSession


@pytest.fixture(scope="session", autouse=True)
def quiet_torch():
    """One thread; and a module that `generate` imports at its first step, with deprecations of its own."""
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("torch._inductor.cudagraph_trees")


@pytest.fixture(scope="session")
def silu(tmp_path_factory) -> Pair:
    """Gated by silu: the fused operator, in fp32."""
    return _fp32_pair("silu", tmp_path_factory.mktemp("silu"))


@pytest.fixture(scope="session")
def gelu(tmp_path_factory) -> Pair:
    """Gated by tanh-GELU, as the released checkpoint is: the dense construction, in fp32."""
    return _fp32_pair("gelu_pytorch_tanh", tmp_path_factory.mktemp("gelu"))


@pytest.fixture(params=["silu", "gelu"])
def pair(request) -> Pair:
    """Both fp32 pairs, one after the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def int4_experts(tiny_checkpoint, tiny_bundle) -> Pair:
    """The default export; transformers gets the weights as they are stored."""
    return _quantised_pair(ExportOptions(tiny_checkpoint, tiny_bundle), StepSession(load_bundle(tiny_bundle)))


@pytest.fixture(scope="session")
def int8_linears(tiny_checkpoint, tmp_path_factory) -> Pair:
    """int4 experts and int8 linear layers in blocks of 64."""
    options = ExportOptions(tiny_checkpoint, tmp_path_factory.mktemp("int8") / "bundle", linear="int8", block_size=64)
    return _quantised_pair(options, _export(options))


@pytest.fixture(scope="session")
def settings() -> DenoiseSettings:
    """Such that canvases of the random models stop after different numbers of steps, accepting a few tokens in each."""
    return DenoiseSettings(
        vocab_size=VOCAB_SIZE,
        hidden_size=64,
        eos_token_ids=frozenset(),
        sampler=ReferenceSampler(),
        steps=12,
        entropy_bound=0.1,
        t_min=0.4,
        t_max=0.8,
        stability_threshold=1,
        confidence_threshold=0.05,
    )


def _fp32_pair(activation, folder) -> Pair:
    model = random_model(tiny_config(activation, THREE_LAYERS), seed=1)
    checkpoint = save_checkpoint(model, folder / "checkpoint")
    return Pair(model, _export(ExportOptions(checkpoint, folder / "bundle", experts="fp32")))


def _quantised_pair(options: ExportOptions, session: StepSession) -> Pair:
    # The same seed as the session's `tiny_checkpoint`.
    model = random_model(tiny_config())
    use_stored_weights(model, options)
    return Pair(model, session)


def _export(options: ExportOptions) -> StepSession:
    return StepSession(load_bundle(export_checkpoint(options).out))
