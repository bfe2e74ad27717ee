"""The core's own tests, in C++ under the address and undefined-behaviour sanitizers."""

import json

import pytest

from tests.bindings.unreal.programs import CORE, run

FUZZ_CASES = 200_000


@pytest.mark.parametrize("group", ["MsgPack", "Json", "Zmtp", "Connection", "Client", "Context", "Pins", "Sidecar"])
def test_the_tests_in_cpp_pass(programs, vectors, tmp_path, group):
    assert "FAILED" not in run(programs.unit, vectors, tmp_path, group)


def test_mutated_vectors_break_no_reader(programs, vectors, tmp_path):
    assert f"{FUZZ_CASES} cases" in run(programs.unit, vectors, tmp_path, "fuzz", str(FUZZ_CASES), timeout_s=120.0)


def test_a_quiet_frame_allocates_nothing_and_a_draft_only_its_text(programs):
    cost = json.loads(run(programs.cost))
    print(cost)
    assert cost["idle"]["allocations_a_frame"] < 0.01
    # Four characters get a draft each.
    assert cost["talking"]["allocations_a_frame"] < 4.1


def test_the_core_knows_nothing_of_the_engine_and_of_no_library():
    known = {"PalaverCore", "arpa", "netinet", "sys"}
    for file in sorted(CORE.rglob("*.[hc]*")):
        if file.name == "PalaverCoreModule.cpp" or file.suffix == ".cs":
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("#include") and "/" in line:
                assert line.split()[1].strip('<">').split("/")[0] in known, f"{file.name}: {line}"
