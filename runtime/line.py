"""What comes back: one line, with everything needed to produce it again."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

FinishReason = Literal["stop", "max_tokens", "empty"]


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds: waiting before the first compute, encoding, denoising, and from submission to the end."""

    queue_ms: float
    encode_ms: float
    denoise_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line.

    Attributes:
        text: what the character says; empty only with finish_reason "empty".
        seed: the seed that gives this text again.
        steps: denoising steps run, over all canvases and re-rolls.
        canvases: canvases that were finished, re-rolled ones not counted.
        tokens: tokens of the line, end token not counted.
        rerolls: times the first canvas came out empty and was drawn anew.
        finish_reason: "stop" at an end token, "max_tokens" at the limit, "empty" if nothing was said.
        timings: where the time went.
    """

    text: str
    seed: int
    steps: int
    canvases: int
    tokens: int
    rerolls: int
    finish_reason: FinishReason
    timings: Timings

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for JSON or msgpack."""
        return asdict(self)
