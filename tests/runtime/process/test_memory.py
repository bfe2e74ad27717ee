import sys

import pytest

from runtime.process.memory import resident_mb


def test_this_process_has_some_memory_and_more_after_it_took_some():
    before = resident_mb()
    assert 5.0 < before < 100_000.0
    if sys.platform == "darwin":
        pytest.skip("macOS tells the most that it ever was")
    ballast = bytearray(64 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    assert resident_mb() > before + 32.0
