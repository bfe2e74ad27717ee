"""Which action a line carries out: every call that was declared is scored as a continuation of the line.

A call and the plain end stand on canvases of their own, behind the same line, which is clamped. What of the line does
not fit beside the longest call is encoded in front of the canvas.
"""

import itertools
from collections.abc import Sequence
from typing import cast

import numpy as np

from runtime.actions import ActionCall
from runtime.batch import EncodeWork, PassResult, ScoreWork, Work
from runtime.choice_scoring import OptionCanvases, Scoring
from runtime.choice_settings import ACTION_MARGIN, PATTERNS
from runtime.denoise import Floats
from runtime.prefill import PREFILL_CHUNK
from runtime.session import Prefix
from runtime.stage import Stage
from runtime.step_cost import PassKind, Shape


class Acting:
    """The choice of a line's action, pass by pass.

    Args:
        text: the whole line.
        calls: what it may carry out, one at least.
        prompt: what the line was said to, encoded.
        stage: of the model.
    """

    def __init__(self, text: str, calls: Sequence[ActionCall], prompt: Prefix, stage: Stage) -> None:
        continued = [stage.ids(text), *(stage.ids(f"{text} [{call.text}]") for call in calls)]
        said = _shared_length(continued)
        longest = max(map(len, continued)) - said + 1
        on_canvas = min(said, max(0, stage.canvas_length - longest))
        line, ends = continued[0][:said], [ids[said:] for ids in continued]
        clamped = line[said - on_canvas :]
        canvases = OptionCanvases.of(ends, stage.eos, stage.canvas_length, clamped)
        self._calls = calls
        self._prefix = prompt
        self._to_encode = np.array(line[: said - on_canvas], dtype=np.int64)
        self._scoring = Scoring(canvases, PATTERNS, stage.vocab_size)

    @property
    def finished(self) -> bool:
        """Every call was scored."""
        return self._scoring.finished

    def call(self) -> ActionCall | None:
        """What the line carries out, None for nothing; only when finished."""
        best, margin = self.best()
        return best if margin > ACTION_MARGIN else None

    def best(self) -> tuple[ActionCall, float]:
        """The best of the calls, and by how many nats it exceeds the plain end; only when finished."""
        plain_end, *of_calls = self._scoring.scores(len(PATTERNS)).tolist()
        best = max(range(len(of_calls)), key=of_calls.__getitem__)
        return self._calls[best], of_calls[best] - plain_end

    def passes_left(self) -> int:
        """Passes until it has finished."""
        return -(-len(self._to_encode) // PREFILL_CHUNK) + self._scoring.passes_left

    def next_pass(self) -> Shape:
        """Shape of the pass that `work()` is about."""
        if len(self._to_encode):
            return Shape(PassKind.ENCODE, min(PREFILL_CHUNK, len(self._to_encode)), self._prefix.length)
        return self._scoring.next_pass(self._prefix.length)

    def work(self) -> Work:
        """What the next pass has to compute; asking again changes nothing."""
        if len(self._to_encode):
            return EncodeWork(self._to_encode[None, :PREFILL_CHUNK], self._prefix)
        return ScoreWork(self._scoring.inputs(), self._prefix)

    def take(self, result: PassResult) -> None:
        """Go on with what `work()` gave."""
        if isinstance(result, Prefix):
            self._prefix, self._to_encode = result, self._to_encode[PREFILL_CHUNK:]
        else:
            self._scoring.take(cast(Floats, result))


def _shared_length(texts: Sequence[Sequence[int]]) -> int:
    """Tokens with which all of them begin."""
    return sum(1 for _ in itertools.takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))
