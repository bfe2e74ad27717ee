import os
import sys

import pytest

from runtime.sidecar import start_sidecar


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other ways")
def test_a_sidecar_never_takes_a_core_from_a_running_thread(tiny_bundle):
    with start_sidecar(tiny_bundle) as sidecar:
        assert os.sched_getscheduler(sidecar.process.pid) == os.SCHED_BATCH
