"""The model's own sampler: takes, bit for bit, the decisions of transformers' `generate` for DiffusionGemma.

Each function names the class or function that it follows. Numbers that decide something are rounded as torch rounds
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runtime.denoise import Decision, DenoiseSettings, Floats, Ints, Mask


@dataclass(frozen=True, slots=True)
class ReferenceSampler:
    """Linear temperatures, draws accepted by an entropy bound, a stop when the whole canvas is stable and certain."""

    def canvas_length(self, longest: int) -> int:
        """As of `Sampler`."""
        return longest

    def temperature(self, steps_left: int, settings: DenoiseSettings) -> np.float32:
        """As of `Sampler`."""
        return temperature_at(steps_left, settings)

    def decide(
        self, argmax: Ints, entropy: Floats, earlier: Sequence[Ints], steps_left: int, settings: DenoiseSettings
    ) -> Decision:
        """As of `Sampler`; follows `DiffusionGemmaGenerationMixin._denoising_step`."""
        confident = np.mean(entropy, dtype=np.float32) < np.float32(settings.confidence_threshold)
        stable = is_stable(argmax, earlier, settings.stability_threshold)
        return Decision(accept(entropy, settings.entropy_bound), bool(confident) and stable)


def temperature_at(steps_left: int, settings: DenoiseSettings) -> np.float32:
    """Temperature with so many steps left, this one included (`LinearTemperatureScheduleLogitsProcessor`)."""
    # The reference holds the step in an int32 tensor, so everything behind it happens in float32.
    progress = np.float32(steps_left) / np.float32(settings.steps)
    return np.float32(settings.t_min) + np.float32(settings.t_max - settings.t_min) * progress


def accept(entropy: Floats, entropy_bound: float) -> Mask:
    """Positions to keep: in ascending entropy, while those before add up to at most the bound.

    The joint mutual information of the kept tokens is then bounded too (arXiv 2505.24857;
    `EntropyBoundSampler.accept_canvas`). The first position is always kept. Input and output are [..., length].
    """
    order = np.argsort(entropy, axis=-1, kind="stable")
    ascending = np.take_along_axis(entropy, order, axis=-1)
    # torch.cumsum adds up float32 in double and rounds each partial sum; numpy's float32 sum would drift off it.
    sums = np.cumsum(ascending, axis=-1, dtype=np.float64).astype(np.float32)
    kept = sums - ascending <= np.float32(entropy_bound)
    mask = np.zeros_like(kept)
    np.put_along_axis(mask, order, kept, axis=-1)
    return mask


def is_stable(argmax: Ints, earlier: Sequence[Ints], threshold: int) -> bool:
    """Whether the last `threshold` drafts equal this one (`StableAndConfidentStoppingCriteria`)."""
    last = earlier[len(earlier) - threshold :] if threshold <= len(earlier) else ()
    return len(last) == threshold and all(np.array_equal(argmax, draft) for draft in last)
