"""The sum of what a sidecar takes: written out before the model is loaded, and kept to by the real process."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.bundle import read_manifest
from runtime.client import start_sidecar
from runtime.errors import PalaverError, RequestError
from runtime.pocket import POCKET_MODEL
from runtime.process.memory_budget import MemoryNeed, memory_need, position_bytes, prefix_cache_within

SETTINGS = {"max_batch": 4, "prompt_tokens": None, "prefix_cache_mb": 256}
NEED = MemoryNeed(process_mb=100, weights_mb=20, prompts_mb=30, step_mb=40, prefix_cache_mb=256)


@pytest.fixture(scope="module")
def manifest():
    return read_manifest(POCKET_MODEL)


def test_the_sum_is_written_out():
    assert NEED.describe() == (
        "100 MB program + 20 MB weights + 30 MB prompts + 40 MB step + 256 MB encoded personas = 446 MB"
    )


def test_what_a_budget_leaves_is_room_for_encoded_personas():
    assert prefix_cache_within(1000, NEED) == 256
    assert prefix_cache_within(200, NEED) == 10
    assert prefix_cache_within(190, NEED) == 0


def test_a_budget_that_is_too_small_is_refused_with_the_sum():
    with pytest.raises(PalaverError) as error:
        prefix_cache_within(189, NEED)
    assert error.value.code == "over-budget"
    assert NEED.describe() in error.value.message
    assert "--max-batch" in error.value.hint


def test_keys_and_values_of_a_position(manifest):
    layers = manifest.geometry.layers
    assert position_bytes(manifest.geometry) == sum(8 * layer.kv_heads * layer.head_dim for layer in layers)


def test_each_part_grows_with_what_it_is_made_of(manifest):
    need = memory_need(manifest, **SETTINGS)
    alone = memory_need(manifest, **SETTINGS | {"max_batch": 1})
    assert alone.prompts_mb < need.prompts_mb and alone.step_mb < need.step_mb
    assert memory_need(manifest, **SETTINGS | {"prompt_tokens": 4000}).prompts_mb > need.prompts_mb
    wide = replace(manifest, geometry=replace(manifest.geometry, vocab_size=262_144, canvas_length=256))
    # Seven arrays of 256 x 262144 floats for each of four lines.
    assert memory_need(wide, **SETTINGS).step_mb > 4 * 7 * 256
    with pytest.raises(RequestError):
        memory_need(manifest, **SETTINGS | {"prompt_tokens": 10**6})


def test_a_sidecar_over_its_budget_says_so_and_ends():
    command = [sys.executable, "-m", "runtime.serve", "--memory-budget-mb", "60"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "the memory budget is 60 MB, but this sidecar may take" in ended.stderr
    assert "PALAVER READY" not in ended.stdout


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell a process's memory")
def test_a_sidecar_within_its_budget_makes_lines_and_stays_within(connect, manifest):
    need = memory_need(manifest, **SETTINGS)
    budget_mb = need.without_cache_mb + 8
    with start_sidecar(POCKET_MODEL, secret="", arguments=["--memory-budget-mb", str(budget_mb)]) as sidecar:
        talker = connect(sidecar.port).hello()
        for number in range(12):
            npc = {
                "id": f"npc {number}",
                "name": "Mira",
                "role": "smith",
                "knowledge": [f"The ring costs {number} gold."],
            }
            line = talker.asks({"type": "ask", "request": 2 + number, "npc": npc, "text": "What costs the ring?"})
            assert line["source"] == "model"
        pages = int(Path(f"/proc/{sidecar.process.pid}/statm").read_text(encoding="ascii").split()[1])
    assert pages * os.sysconf("SC_PAGE_SIZE") < budget_mb << 20
