"""A game in C++ that does what it is told, line by line, and tells what happens to it."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT_S = 30.0
DISCONNECTED, READY = 0, 4
STOPPED, STARTING, RUNNING, WAITING, FAILED = range(5)

SMITH = {
    "id": "smith",
    "name": "Mira",
    "role": "blacksmith",
    "place": "Oakvale",
    "knowledge": ["The iron sword costs 40 gold."],
    "fallbacks": ["Ask me later.", "Not now."],
}


class Puppet:
    """The process `play puppet`: `do` tells it something, `wait` waits for an event."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            [str(program), "puppet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self.events: list[dict[str, Any]] = []
        self._told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def do(self, what: str, **fields: Any) -> None:
        """Tell the game to do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": what, **fields}, ensure_ascii=False) + "\n")
        self.process.stdin.flush()

    def connect(self, port: int, secret: str = "", *npcs: dict[str, Any]) -> None:
        """Make characters known (the smith if none are named), connect and wait until the sidecar has welcomed us."""
        for npc in npcs or (SMITH,):
            self.do("put", npc=npc)
            assert self.wait("put")["code"] == ""
        self.do("connect", port=port, secret=secret)
        self.wait("state", state=READY)

    def ask(self, text: str, npc: str = "smith", **options: Any) -> int:
        """Ask; the handle."""
        self.do("ask", npc=npc, text=text, **options)
        return int(self.wait("asked")["ask"])

    def say(self, text: str, npc: str = "smith", **options: Any) -> dict[str, Any]:
        """Ask and wait for the line."""
        return self.wait("line", ask=self.ask(text, npc, **options))

    def save(self, npc: str = "smith") -> str:
        """The character's turns."""
        self.do("save", npc=npc)
        return str(self.wait("saved")["data"])

    def wait(self, event: str, limit_s: float = LIMIT_S, **fields: Any) -> dict[str, Any]:
        """The next event of this kind with these fields; those before it are left in `events`."""
        return self.wait_for(lambda told: told["event"] == event and fields.items() <= told.items(), limit_s)

    def wait_for(self, is_it: Callable[[dict[str, Any]], bool], limit_s: float = LIMIT_S) -> dict[str, Any]:
        """The next event that is the one."""
        ends_s = time.monotonic() + limit_s
        while True:
            try:
                told = self._told.get(timeout=max(0.0, ends_s - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"it did not happen; what did: {self.events[-20:]}") from None
            assert told is not None, f"the game has ended ({self.process.wait(LIMIT_S)}) after {self.events[-20:]}"
            self.events.append(json.loads(told))
            if is_it(self.events[-1]):
                return self.events[-1]

    def kill(self) -> None:
        """End the game as a crash does."""
        self.process.kill()
        self.process.wait(LIMIT_S)

    def close(self) -> None:
        """End the game; no fault may have been found in it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        killed = self.process.poll() is not None
        self.process.stdin.close()
        code = self.process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        self.process.stdout.close()
        assert killed or code == 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._told.put(line)
        self._told.put(None)
