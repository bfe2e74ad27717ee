"""What a sidecar costs while nobody asks it anything."""

import time
from pathlib import Path
from typing import Any

from runtime.client import PalaverClient, start_sidecar
from runtime.errors import PalaverError
from tools.eval.heldout import held_out_questions

_TICKS_A_SECOND = 100  # USER_HZ, which Linux has fixed for what it tells in /proc


def measure_idle(model: Path, seconds: float) -> dict[str, Any]:
    """CPU time of a sidecar over so many seconds behind one line.

    Raises:
        PalaverError: this system has no /proc to read it from.
    """
    (question,) = held_out_questions(1)
    with start_sidecar(model) as sidecar, PalaverClient(sidecar) as client:
        client.ask(question.npc, question.exchange.player, seed=1, steps=2)
        before_s = _cpu_s(sidecar.process.pid)
        time.sleep(seconds)
        return {"seconds": seconds, "cpu_s": round(_cpu_s(sidecar.process.pid) - before_s, 3)}


def _cpu_s(pid: int) -> float:
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        raise PalaverError("this system does not tell the CPU time of a process in /proc", "Run it on Linux")
    fields = path.read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND
