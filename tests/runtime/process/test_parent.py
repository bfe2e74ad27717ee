import subprocess
import sys
import threading

import pytest

from runtime.process.parent import wait_for_exit

WAIT_S = 30.0


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    process.stdin.close()


def test_it_waits_until_the_process_has_ended(child):
    waiting = threading.Thread(target=wait_for_exit, args=(child.pid,), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    child.kill()
    # Nobody has asked after the child yet: it is dead and still has its number.
    waiting.join(WAIT_S)
    assert not waiting.is_alive()


def test_a_process_that_is_gone_is_not_waited_for(child):
    child.kill()
    child.wait()
    wait_for_exit(child.pid)
