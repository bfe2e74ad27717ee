import sys

import pytest

from tools.bench.orphans import GUARDS, measure_orphans

# The command does fifty; each round is as good as another, and each costs a second of a machine.
ROUNDS = 6


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_no_sidecar_outlives_a_game_that_is_killed(tiny_bundle):
    report = measure_orphans(tiny_bundle, ROUNDS)
    assert [row["guard"] for row in report["guards"]] == list(GUARDS)
    assert [row["orphans"] for row in report["guards"]] == [0, 0]
