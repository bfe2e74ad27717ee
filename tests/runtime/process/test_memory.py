import subprocess
import sys

import pytest

# In a process of its own: this one gives back memory of earlier tests whenever it likes.
TAKE_SOME = """
from runtime.process.memory import resident_mb
before = resident_mb()
ballast = bytearray(64 << 20)
ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
print(before, resident_mb())
"""


def test_a_process_has_some_memory_and_more_after_it_took_some():
    if sys.platform == "darwin":
        pytest.skip("macOS tells the most that it ever was")
    done = subprocess.run([sys.executable, "-c", TAKE_SOME], capture_output=True, text=True, check=True)
    before, after = map(float, done.stdout.split())
    assert 5.0 < before < 100_000.0
    assert after > before + 32.0
