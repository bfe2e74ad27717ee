"""Rows of a weight in portions that stay in the processor's cache while they are converted.

Converting takes a dozen passes over arrays of the weight's size; over a whole weight each of them would go through the
memory, and several copies of it would be there at once.
"""

from collections.abc import Iterator

_VALUES = 1 << 16  # 256 KiB in float32


def row_chunks(rows: int, row_size: int) -> Iterator[slice]:
    """Slices that cover `rows` rows of `row_size` values, each of about 65,536 values and at least one row."""
    step = max(1, _VALUES // row_size)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
