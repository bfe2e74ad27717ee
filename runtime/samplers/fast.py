"""The sampler for few steps: with eyes for the line alone, and cooler the fewer steps there are.

The model's own sampler spends its first steps on the tail of the canvas: behind the end of the line everything is
certain from the start, so that is what its entropy bound accepts, and the line itself waits until the temperature has
fallen. Here the tail is kept always and counts for nothing; what is accepted, and when to stop, is decided on the line.
And a canvas is half as long: few lines need more, and for those a second one follows.

docs/samplers.md has the figures behind the numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runtime.denoise import Decision, DenoiseSettings, Floats, Ints


@dataclass(frozen=True, slots=True)
class FastSampler:
    """The most certain positions of the line are accepted, more with each step.

    Attributes:
        few_steps: where there are no more, the first temperature is the model's lowest: there is no time to explore.
        many_steps: from so many on it is the model's highest.
        last_temperature: share of the model's lowest temperature that the last step has.
        certain_nats: entropy below which a position is accepted at once.
        confident_nats: mean entropy of the line, end token included, below which a draft that came twice is the result.
    """

    few_steps: int = 4
    many_steps: int = 16
    last_temperature: float = 0.25
    certain_nats: float = 0.02
    confident_nats: float = 0.01

    def canvas_length(self, longest: int) -> int:
        """As of `Sampler`; half, rounded up."""
        return (longest + 1) // 2

    def temperature(self, steps_left: int, settings: DenoiseSettings) -> np.float32:
        """As of `Sampler`; falls in a straight line."""
        heat = min(1.0, max(0.0, (settings.steps - self.few_steps) / (self.many_steps - self.few_steps)))
        first = settings.t_min + (settings.t_max - settings.t_min) * heat
        last = settings.t_min * self.last_temperature
        return np.float32(last + (first - last) * (steps_left - 1) / max(1, settings.steps - 1))

    def decide(
        self, argmax: Ints, entropy: Floats, earlier: Sequence[Ints], steps_left: int, settings: DenoiseSettings
    ) -> Decision:
        """As of `Sampler`."""
        length = line_length(argmax, settings.eos_token_ids)
        line_entropy = entropy[:length]
        progress = (settings.steps - steps_left + 1) / settings.steps
        accepted = np.ones(len(argmax), dtype=np.bool_)
        accepted[:length] = line_entropy < np.float32(self.certain_nats)
        # Squared: what is accepted early is believed by all later steps, and early on little deserves that.
        accepted[np.argsort(line_entropy, kind="stable")[: math.ceil(length * progress**2)]] = True
        stable = bool(earlier) and np.array_equal(argmax[:length], earlier[-1][:length])
        confident = np.mean(line_entropy, dtype=np.float32) < np.float32(self.confident_nats)
        return Decision(accepted, stable and bool(confident))


def line_length(argmax: Ints, eos_token_ids: frozenset[int]) -> int:
    """Positions up to the first end token, this one included; all if there is none."""
    ends = np.flatnonzero(np.isin(argmax, list(eos_token_ids)))
    return int(ends[0]) + 1 if len(ends) else len(argmax)
