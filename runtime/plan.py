"""From a request to everything that decides the text of a line."""

from dataclasses import dataclass

from runtime.bundle import Bundle
from runtime.denoise import DenoiseSettings, Ints
from runtime.errors import RequestError
from runtime.pins import Form, spell
from runtime.request import AskRequest
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS
from runtime.seed import seed_of
from runtime.template import templates_of


@dataclass(frozen=True, slots=True)
class JobPlan:
    """No default left open; only a deadline may still lower the steps.

    Attributes:
        prompt_ids: int64 [length].
        seed: of every draw.
        max_tokens: most tokens of the line, end token not counted.
        canvas_length: positions of a whole canvas of the sampler; the last one is shorter when fewer tokens are left.
        longest_canvas: positions of a canvas with more pins than the sampler's own has room for.
        settings: of every canvas.
        forms: what the line has to look like, any one of them; with nothing settled for a line that is all the model's.
        end_id: token that ends a line.
        stop_after_steps: denoising steps after which the line ends as it is; None for no limit.
    """

    prompt_ids: Ints
    seed: int
    max_tokens: int
    canvas_length: int
    longest_canvas: int
    settings: DenoiseSettings
    forms: tuple[Form, ...]
    end_id: int
    stop_after_steps: int | None


def plan_job(bundle: Bundle, prompt_ids: Ints, request: AskRequest) -> JobPlan:
    """Resolve a request's defaults against the model.

    Args:
        bundle: the model.
        prompt_ids: its prompt, int64 [length].
        request: what is asked.

    Raises:
        RequestError: the template cannot be read, the prompt does not fit the model ("prompt-too-long"), or the
            template does not fit behind it or into the tokens asked for ("template-too-long").
    """
    geometry, defaults = bundle.manifest.geometry, bundle.manifest.generation
    longest_prompt = geometry.max_positions - geometry.canvas_length
    if len(prompt_ids) > longest_prompt:
        raise RequestError(
            f"the prompt has {len(prompt_ids)} tokens, at most {longest_prompt} fit this model "
            f"({geometry.max_positions} positions less a canvas of {geometry.canvas_length})",
            "Shorten the knowledge, the history or the text",
            code="prompt-too-long",
        )
    settings = DenoiseSettings(
        vocab_size=geometry.vocab_size,
        hidden_size=geometry.hidden_size,
        eos_token_ids=frozenset(defaults.eos_token_ids),
        sampler=SAMPLERS[request.sampler or DEFAULT_SAMPLER],
        steps=request.steps or defaults.max_denoising_steps,
        entropy_bound=defaults.entropy_bound,
        t_min=defaults.t_min,
        t_max=defaults.t_max,
        stability_threshold=defaults.stability_threshold,
        confidence_threshold=defaults.confidence_threshold,
    )
    forms = _forms(bundle, request)
    needed, room = max(form.fewest_tokens for form in forms), geometry.max_positions - len(prompt_ids)
    wanted = max(defaults.max_new_tokens, needed) if request.max_tokens is None else request.max_tokens
    if needed > min(wanted, room):
        raise RequestError(
            f"the template takes {needed} tokens at least, more than the {min(wanted, room)} that the line may have",
            "Shorten the template, or give the ask more max_tokens",
            code="template-too-long",
        )
    return JobPlan(
        prompt_ids=prompt_ids,
        seed=seed_of(request),
        max_tokens=min(wanted, room),
        canvas_length=settings.sampler.canvas_length(geometry.canvas_length),
        longest_canvas=geometry.canvas_length,
        settings=settings,
        forms=forms,
        end_id=bundle.end_of_line_id,
        stop_after_steps=request.stop_after_steps,
    )


def _forms(bundle: Bundle, request: AskRequest) -> tuple[Form, ...]:
    """What the line has to look like, any one of these; nothing is settled without template and phrases."""
    special = map(bundle.tokenizer.token_to_id, bundle.manifest.tokens.special)
    unspoken = {token_id for token_id in special if token_id is not None}
    unspoken.update(bundle.manifest.generation.eos_token_ids)
    templates = templates_of(request.template, request.must_include)
    return tuple(spell(template, bundle.tokenizer, frozenset(unspoken)) for template in templates) or (Form(),)
