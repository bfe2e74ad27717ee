"""What comes back: one line, with everything needed to produce it again."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from runtime.actions import ActionCall

Source = Literal["model", "draft", "fallback"]
FinishReason = Literal["stop", "max_tokens", "deadline", "empty", "banned", "secret", "repeat", "filtered"]


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds.

    Attributes:
        queue_ms: from submission to the first compute.
        encode_ms: compute of the prompt, and of finished canvases that another follows; of a pass that it shared, all.
        denoise_ms: compute of denoising steps, likewise.
        compute_ms: both together.
        total_ms: from submission to the end.
    """

    queue_ms: float
    encode_ms: float
    denoise_ms: float
    compute_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line.

    Its text is made again by asking with its seed and `steps` = steps_planned, for one that ended with "deadline" also
    with `stop_after_steps` = steps_done; without a deadline, that then is a line of the model.

    Attributes:
        text: what the character says; never empty.
        source: "model" for a line that was finished; "draft" for one that the deadline cut short, or gave fewer steps
            than the model needed, and that is good enough; "fallback" for a line that was written beforehand.
        finish_reason: "stop" at an end token, "max_tokens" at the limit, "deadline" when time was over. The others give
            a fallback: "empty" if the model said nothing, "banned" if it said a banned word, "secret" if it would have
            told one, "repeat" if it said what it had said before, "filtered" if the game's own filter refused it. A
            client that had to make the line itself gives the code of the error that it got, "timeout" or "unreachable".
        seed: of every draw.
        steps_planned: most denoising steps a canvas, which the temperature schedule ran over; 0 if none began.
        steps_done: denoising steps run, over all canvases and re-rolls.
        canvases: canvases that were finished, re-rolled ones not counted.
        tokens: tokens that the text was made of, end token not counted; 0 for a fallback.
        rerolls: times the first canvas came out empty or as what may not be said, and was drawn anew.
        confidence: 0 to 1, exp(-mean entropy in nats of the tokens); 0 for a fallback.
        deterministic: the text can be made again as told above. False for a fallback, which varies, and for a line that
            shared passes where company may change a bit.
        directions: stage directions that were found in the text and taken out of it.
        action: what the character does beside saying this; one of its declared actions, or None.
        plain_text: the text before it was escaped, if that changed anything; what the character remembers.
        timings: where the time went.
    """

    text: str
    source: Source
    finish_reason: FinishReason | str
    seed: int
    steps_planned: int
    steps_done: int
    canvases: int
    tokens: int
    rerolls: int
    confidence: float
    deterministic: bool
    directions: tuple[str, ...] = field(default=(), kw_only=True)
    action: ActionCall | None = field(default=None, kw_only=True)
    plain_text: str = field(default="", kw_only=True)
    timings: Timings

    @property
    def remembered(self) -> str:
        """What the character has said, free of any markup's spelling."""
        return self.plain_text or self.text

    @classmethod
    def written_beforehand(cls, text: str, finish_reason: str, seed: int, waited_ms: float) -> Self:
        """A line for which nothing was computed, `waited_ms` after it was asked for."""
        return cls(
            text=text,
            source="fallback",
            finish_reason=finish_reason,
            seed=seed,
            steps_planned=0,
            steps_done=0,
            canvases=0,
            tokens=0,
            rerolls=0,
            confidence=0.0,
            deterministic=False,
            timings=Timings(waited_ms, 0.0, 0.0, 0.0, waited_ms),
        )

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for JSON or msgpack."""
        return asdict(self)
