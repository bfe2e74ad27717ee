"""What an export will take, said before it writes anything."""

import time
from dataclasses import dataclass

import numpy as np

from export.config import ExportOptions
from export.quantiser import quantiser_of
from export.weight_file import Layout
from export.weight_reader import PART_BYTES
from runtime.process.memory import resident_mb

_PIECES = 6  # copies of a piece that quantising it needs: the piece, its blocks, integers, packed ones
_PACE_BYTES_S = 300e6  # of what is only read, cast and written
_SAMPLE_ROWS = 1024
_MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is foreseen.

    Attributes:
        weights_bytes: size of the weights file.
        peak_memory_mb: most memory, in 2**20 bytes; without that of `--verify`.
        seconds: from here on.
    """

    weights_bytes: int
    peak_memory_mb: int
    seconds: int

    def describe(self) -> str:
        """One line."""
        return (
            f"{self.weights_bytes / 1e9:,.3f} GB of weights, {self.peak_memory_mb:,} MB of memory at most, "
            f"about {self.seconds:,} s"
        )


def estimate(layout: Layout, options: ExportOptions) -> Estimate:
    """Foresee size and memory from the layout of the weights, and the time from how fast this machine quantises."""
    quantiser = quantiser_of(options.experts, options)
    pace = _PACE_BYTES_S
    if quantiser is not None:
        sample = np.random.default_rng(0).standard_normal((_SAMPLE_ROWS, 64 * options.block_size), dtype=np.float32)
        started_s = time.perf_counter()
        stored = quantiser(sample)
        taken_s = time.perf_counter() - started_s
        written = stored.packed.nbytes + stored.scales.nbytes
        pace = 1 / (taken_s / written + 1 / _PACE_BYTES_S)
    memory_mb = resident_mb() + _PIECES * PART_BYTES / _MB
    return Estimate(layout.total_bytes, round(memory_mb), round(layout.total_bytes / pace))
