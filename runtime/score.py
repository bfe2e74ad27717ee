"""What a scoring pass reads: how probable does the model find given tokens, seen from a canvas of noise?"""

from dataclasses import dataclass

from runtime.denoise import Ints


@dataclass(frozen=True, slots=True)
class ScoreInputs:
    """Canvases and what is scored on them, rows being canvases.

    Attributes:
        canvas: int64 [batch, length], the tokens that the model sees.
        scored_ids: int64 [batch, length], those whose probability is asked for at each position.
    """

    canvas: Ints
    scored_ids: Ints
