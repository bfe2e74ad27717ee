"""A request with every default settled."""

import numpy as np
import pytest

from runtime.bundle import load_bundle
from runtime.errors import RequestError
from runtime.plan import plan_job
from runtime.request import AskRequest
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS

PROMPT = np.arange(9)


@pytest.fixture(scope="module")
def manifest(tiny_bundle):
    return load_bundle(tiny_bundle).manifest


def test_what_is_left_open_is_the_models_own(manifest, mira):
    plan, defaults = plan_job(manifest, PROMPT, AskRequest(mira, "Hello")), manifest.generation
    assert (plan.settings.steps, plan.max_tokens) == (defaults.max_denoising_steps, defaults.max_new_tokens)
    assert plan.settings.sampler is SAMPLERS[DEFAULT_SAMPLER]
    assert plan.seed != plan_job(manifest, PROMPT, AskRequest(mira, "Hello")).seed


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_sampler_that_is_named_decides_and_says_how_long_a_canvas_is(manifest, mira, name):
    plan = plan_job(manifest, PROMPT, AskRequest(mira, "Hello", sampler=name))
    assert plan.settings.sampler is SAMPLERS[name]
    assert plan.canvas_length == SAMPLERS[name].canvas_length(manifest.geometry.canvas_length)


def test_a_line_never_outgrows_the_positions_of_the_model(manifest, mira):
    longest = manifest.geometry.max_positions - manifest.geometry.canvas_length
    plan = plan_job(manifest, np.arange(longest), AskRequest(mira, "Hello", max_tokens=4096))
    assert plan.max_tokens == manifest.geometry.canvas_length
    with pytest.raises(RequestError, match=f"the prompt has {longest + 1} tokens, at most {longest} fit"):
        plan_job(manifest, np.arange(longest + 1), AskRequest(mira, "Hello"))
