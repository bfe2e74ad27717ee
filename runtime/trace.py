"""A canvas resolving in the terminal: one line of text for each denoising step."""

import os
from typing import TextIO

from tokenizers import Tokenizer

from runtime.job import StepReport

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_REPLACEMENT = "\ufffd"
_BLANK = "_"


class StepTrace:
    """Writes a line a step: step, accepted positions, mean entropy in nats, and the draft up to its first end token.

    Settled tokens are plain. Unsettled ones are dimmed where the terminal can do that, and a `_` each elsewhere.

    Args:
        stream: where to write; errors of its encoding are the stream's own business.
        tokenizer: the bundle's tokenizer.
        eos_token_ids: ids that end the draft.
        dim: whether the stream understands escape sequences.
    """

    def __init__(self, stream: TextIO, tokenizer: Tokenizer, eos_token_ids: tuple[int, ...], *, dim: bool) -> None:
        self._stream = stream
        self._tokenizer = tokenizer
        self._eos_token_ids = frozenset(eos_token_ids)
        self._dim = dim

    def __call__(self, report: StepReport) -> None:
        result = report.result
        accepted = int(result.accepted.sum())
        again = f" re-roll {report.reroll}" if report.reroll else ""
        self._stream.write(
            f"canvas {report.canvas + 1}{again} step {result.step:>2}  accepted {accepted:>3}/{len(result.argmax)}  "
            f"entropy {result.mean_entropy:6.3f}  {self._draft(report)}\n"
        )
        self._stream.flush()

    def _draft(self, report: StepReport) -> str:
        shown = []
        for piece, accepted in zip(self._pieces(report.result.argmax.tolist()), report.result.accepted, strict=False):
            if accepted:
                shown.append(piece)
            else:
                shown.append(f"{_DIM}{piece}{_PLAIN}" if self._dim else _BLANK)
        return "".join(shown)

    def _pieces(self, ids: list[int]) -> list[str]:
        """What each token adds to the text; a token decoded alone would lose its leading space."""
        pieces, before = [], ""
        for count, token_id in enumerate(ids, start=1):
            if token_id in self._eos_token_ids:
                break
            text = self._tokenizer.decode(ids[:count], skip_special_tokens=False).rstrip(_REPLACEMENT)
            # A drafted control character must not reach the terminal.
            pieces.append("".join(char if char.isprintable() else " " for char in text[len(before) :]))
            before = text
        return pieces


def can_dim(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that understands escape sequences and may use them."""
    if not stream.isatty() or "NO_COLOR" in os.environ:
        return False
    return os.name != "nt" or "WT_SESSION" in os.environ
