"""From a request to everything that decides the text of a line."""

import secrets
from dataclasses import dataclass

from runtime.denoise import DenoiseSettings, Ints
from runtime.errors import RequestError
from runtime.manifest import BundleManifest
from runtime.request import AskRequest
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS

# JSON readers in JavaScript, Godot and Lua hold numbers as doubles, which are exact up to 53 bits.
RANDOM_SEED_BITS = 53


@dataclass(frozen=True, slots=True)
class JobPlan:
    """No default left open; only a deadline may still lower the steps.

    Attributes:
        prompt_ids: int64 [length].
        seed: of every draw.
        max_tokens: most tokens of the line, end token not counted.
        canvas_length: positions of a whole canvas of the sampler; the last one is shorter when fewer tokens are left.
        settings: of every canvas.
        banned: words and phrases that the line may not hold.
        stop_after_steps: denoising steps after which the line ends as it is; None for no limit.
    """

    prompt_ids: Ints
    seed: int
    max_tokens: int
    canvas_length: int
    settings: DenoiseSettings
    banned: tuple[str, ...]
    stop_after_steps: int | None


def seed_of(request: AskRequest) -> int:
    """The seed that was asked for, or a random one."""
    return secrets.randbits(RANDOM_SEED_BITS) if request.seed is None else request.seed


def plan_job(manifest: BundleManifest, prompt_ids: Ints, request: AskRequest) -> JobPlan:
    """Resolve a request's defaults against the model; `prompt_ids` is its prompt, int64 [length].

    Raises:
        RequestError: the prompt does not fit the model ("prompt-too-long").
    """
    geometry, defaults = manifest.geometry, manifest.generation
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
    return JobPlan(
        prompt_ids=prompt_ids,
        seed=seed_of(request),
        max_tokens=min(request.max_tokens or defaults.max_new_tokens, geometry.max_positions - len(prompt_ids)),
        canvas_length=settings.sampler.canvas_length(geometry.canvas_length),
        settings=settings,
        banned=request.npc.banned,
        stop_after_steps=request.stop_after_steps,
    )
