"""The tokens of a line so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from runtime.denoise import StepResult
from runtime.pins import Layout
from runtime.template import Template
from runtime.wording import Tokens


@dataclass(slots=True)
class Spoken:
    """Tokens, the part of the template that each belongs to, and the entropy in nats of those that are the model's."""

    tokens: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)

    @property
    def mean_entropy(self) -> float:
        """Nats; 0 without tokens of the model."""
        return sum(self.entropies) / max(1, len(self.entropies))

    def followed_by(self, layout: Layout, result: StepResult, count: int) -> "Spoken":
        """These and the first `count` tokens of a canvas."""
        written = np.flatnonzero(~layout.clamp.pinned[:count])
        return Spoken(
            self.tokens + result.argmax[:count].tolist(),
            self.parts + layout.part[:count].tolist(),
            self.entropies + result.entropy[written].tolist(),
        )

    def with_pin(self, ids: Sequence[int], part: int) -> "Spoken":
        """These and tokens of a pin."""
        return Spoken([*self.tokens, *ids], [*self.parts, *([part] * len(ids))], self.entropies)

    def of(self, template: Template | None) -> Tokens:
        """As tokens of a template's line."""
        return Tokens(self.tokens, self.parts, template)
