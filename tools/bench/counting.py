"""A step graph that counts what is asked of it."""

from runtime.bundle import Bundle
from runtime.denoise import Ints, StepInputs, StepOutput
from runtime.session import Pass, Prefix, StepSession


class CountingSession(StepSession):
    """Counts the passes that have begun, and their rows."""

    def __init__(self, bundle: Bundle, threads: int = 1) -> None:
        super().__init__(bundle, threads)
        self.passes = 0
        self.rows = 0

    def begin_encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Pass[Prefix]:
        """As of the original."""
        self._count(ids)
        return super().begin_encode(ids, prefix, pad_length)

    def begin_denoise(self, inputs: StepInputs, prefix: Prefix) -> Pass[StepOutput]:
        """As of the original."""
        self._count(inputs.canvas)
        return super().begin_denoise(inputs, prefix)

    def _count(self, ids: Ints) -> None:
        self.passes += 1
        self.rows += len(ids)
