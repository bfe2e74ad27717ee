"""What has to be encoded before a canvas can be denoised: the prompt, and later each canvas that is whole.

A prompt has a stable part, with which other prompts begin too, and the rest. The stable part is encoded on its own, so
that what comes of it can be kept; and so it is whether anything is kept or not. For bits may depend on where passes
begin and end, and may not depend on what somebody asked before.

    stable part:  padding + stable            in passes of PREFILL_CHUNK tokens; then the padding is dropped
    the rest:     zeros + stable | rest       in passes of PREFILL_CHUNK tokens, the first one shorter

Padding and zeros are never attended. They make the length of either a multiple of PREFILL_CHUNK, so that the canvases
behind different prompts can share a pass.
"""

import numpy as np

from runtime.batch import FEWEST_SHARED_POSITIONS, EncodeWork
from runtime.denoise import Ints
from runtime.prefix_cache import PrefixCache
from runtime.session import Prefix
from runtime.step_cost import PassKind, Shape

PREFILL_CHUNK = 64
"""Tokens encoded by one pass, to a multiple of which every prompt is padded at its start.

Where chunks end depends on the text alone, because other ends would give other bytes.
"""


class Prefill:
    """Encodes a prompt pass by pass, and behind it whatever else the text has.

    Until the first pass the stable part is looked for in the cache whenever somebody asks what comes next.

    Args:
        prompt_ids: int64 [length].
        stable_length: tokens at its start that other prompts have too; less than `length`, 0 for none.
        cache: stable parts of the same model; None to keep nothing.
    """

    def __init__(self, prompt_ids: Ints, stable_length: int = 0, cache: PrefixCache | None = None) -> None:
        stable, rest = prompt_ids[:stable_length], prompt_ids[stable_length:]
        first, self._behind_stable = (stable, rest) if stable_length else (rest, stable)
        self._stable_key = stable.tobytes()
        self._cache = cache
        self._pad_length = -len(first) % PREFILL_CHUNK
        self._to_encode = np.pad(first, (self._pad_length, 0))
        self._prefix: Prefix | None = None
        self._begun = False

    @property
    def done(self) -> bool:
        """Nothing is left to encode."""
        return not len(self._to_encode)

    @property
    def prefix(self) -> Prefix:
        """All that was encoded; only when done."""
        assert self.done and self._prefix is not None
        return self._prefix

    @property
    def length(self) -> int:
        """Positions encoded so far, padding included."""
        return 0 if self._prefix is None else self._prefix.length

    def next_pass(self) -> Shape:
        """Shape of the pass that `work` is about."""
        self._look_up()
        return Shape(PassKind.ENCODE, self._next_length(), self.length)

    def passes_left(self) -> int:
        """Passes until all is encoded."""
        self._look_up()
        return -(-len(self._to_encode) // PREFILL_CHUNK) + -(-len(self._behind_stable) // PREFILL_CHUNK)

    def work(self) -> EncodeWork:
        """What the next pass has to compute; asking again changes nothing."""
        self._look_up()
        self._begun = True
        pad_length = self._pad_length if self._prefix is None else 0
        return EncodeWork(self._to_encode[None, : self._next_length()], self._prefix, pad_length)

    def take(self, result: Prefix, *, exact: bool = True) -> None:
        """Go on with what `work` gave; what is not `exact`, as others may have changed how it was rounded, is not kept.

        Whoever is not exact once stays so.
        """
        self._to_encode = self._to_encode[self._next_length() :]
        self._prefix = result
        if len(self._to_encode) or not len(self._behind_stable):
            return
        arrays = tuple(array[:, :, self._pad_length :].copy() for array in result.arrays)
        stable = Prefix(arrays, np.zeros(1, dtype=np.int64))
        if exact and self._cache is not None:
            self._cache.put(self._stable_key, stable)
        self._go_on_behind(stable)

    def extend(self, ids: Ints) -> None:
        """Encode these too, int64 [length], behind all that is done."""
        self._to_encode = ids

    def _look_up(self) -> None:
        if self._begun or self._cache is None or not len(self._behind_stable):
            return
        stable = self._cache.get(self._stable_key)
        if stable is not None:
            self._begun = True
            self._go_on_behind(stable)

    def _go_on_behind(self, stable: Prefix) -> None:
        pad_length = -(stable.length + len(self._behind_stable)) % PREFILL_CHUNK
        arrays = tuple(np.pad(array, ((0, 0), (0, 0), (pad_length, 0), (0, 0))) for array in stable.arrays)
        self._prefix = Prefix(arrays, np.array([pad_length], dtype=np.int64))
        self._to_encode, self._behind_stable = self._behind_stable, self._behind_stable[:0]

    def _next_length(self) -> int:
        """Tokens of the next pass: whole chunks, behind a first one that may be shorter."""
        odd = len(self._to_encode) % PREFILL_CHUNK
        # A single position would be multiplied in a way of its own, by kernels that are not held to the others' bits.
        length = odd if odd >= FEWEST_SHARED_POSITIONS else odd + PREFILL_CHUNK
        return min(length, len(self._to_encode))
