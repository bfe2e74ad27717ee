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
def bundle(tiny_bundle):
    return load_bundle(tiny_bundle)


def test_what_is_left_open_is_the_models_own(bundle, mira):
    plan, defaults = plan_job(bundle, PROMPT, AskRequest(mira, "Hello")), bundle.manifest.generation
    assert (plan.settings.steps, plan.max_tokens) == (defaults.max_denoising_steps, defaults.max_new_tokens)
    assert plan.settings.sampler is SAMPLERS[DEFAULT_SAMPLER]
    assert plan.seed != plan_job(bundle, PROMPT, AskRequest(mira, "Hello")).seed


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_sampler_that_is_named_decides_and_says_how_long_a_canvas_is(bundle, mira, name):
    plan = plan_job(bundle, PROMPT, AskRequest(mira, "Hello", sampler=name))
    assert plan.settings.sampler is SAMPLERS[name]
    assert plan.canvas_length == SAMPLERS[name].canvas_length(bundle.manifest.geometry.canvas_length)


def test_a_line_never_outgrows_the_positions_of_the_model(bundle, mira):
    longest = bundle.manifest.geometry.max_positions - bundle.manifest.geometry.canvas_length
    plan = plan_job(bundle, np.arange(longest), AskRequest(mira, "Hello", max_tokens=4096))
    assert plan.max_tokens == bundle.manifest.geometry.canvas_length
    with pytest.raises(RequestError, match=f"the prompt has {longest + 1} tokens, at most {longest} fit"):
        plan_job(bundle, np.arange(longest + 1), AskRequest(mira, "Hello"))


def test_a_template_has_room_even_where_lines_are_short_by_default(bundle, mira):
    template = "la " * bundle.manifest.generation.max_new_tokens + "{*}"
    plan = plan_job(bundle, PROMPT, AskRequest(mira, "Hello", template=template))
    assert plan.max_tokens >= plan.forms[0].fewest_tokens > bundle.manifest.generation.max_new_tokens


def test_a_template_that_takes_more_tokens_than_were_asked_for_is_refused(bundle, mira):
    with pytest.raises(RequestError, match="more than the 3 that the line may have") as error:
        plan_job(bundle, PROMPT, AskRequest(mira, "Hello", template="Come back tomorrow, {*}", max_tokens=3))
    assert error.value.code == "template-too-long"
