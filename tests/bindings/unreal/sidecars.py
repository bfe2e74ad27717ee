"""Sidecars for the tests: a real one as a child of the test or of the game, and a ROUTER that the test plays itself."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import zmq

from tools.environment import PROJECT_ROOT

START_LIMIT_S = 60.0
COMMAND = (sys.executable, "-P", "-m", "runtime.serve", "--threads", "1")
ENVIRON = {"PYTHONPATH": str(PROJECT_ROOT), "PYTHONUTF8": "1"}
WELCOME = {
    "protocol": 1,
    "version": "0.1.0",
    "state": "ready",
    "model": {"name": "pocket", "canvas_length": 32, "licence": "Apache-2.0"},
}


@contextlib.contextmanager
def serving(secret: str = "") -> Iterator[int]:
    """A sidecar with the pocket model; its port."""
    environ = os.environ | ENVIRON | ({"PALAVER_SECRET": secret} if secret else {})
    with subprocess.Popen(COMMAND, env=environ, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            yield int(json.loads(process.stdout.readline().removeprefix("PALAVER READY "))["port"])
        finally:
            process.terminate()


def start_command(folder: Path) -> dict[str, Any]:
    """How to tell a puppet to start a sidecar that keeps its files in this folder."""
    return {
        "program": COMMAND[0],
        "arguments": list(COMMAND[1:]),
        "environment": ENVIRON,
        "ready_file": str(folder / "ready 田.json"),
        "output": str(folder / "output.txt"),
    }


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it has not ended without being waited for."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def ends(pid: int, limit_s: float = START_LIMIT_S) -> bool:
    """Whether a process ends in time."""
    ends_s = time.monotonic() + limit_s
    while is_running(pid) and time.monotonic() < ends_s:
        time.sleep(0.02)
    return not is_running(pid)


class Router:
    """A real ROUTER socket; the test says what it answers, and hellos are welcomed."""

    def __init__(self, port: int = 0) -> None:
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.linger = 0
        self._socket.rcvtimeo = 20_000
        self._socket.bind(f"tcp://127.0.0.1:{port or '*'}")
        self.port = int(self._socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])
        self.client = b""

    def receive(self) -> bytes:
        """The next message's bytes; hello is answered too."""
        self.client, data = self._socket.recv_multipart()
        message = msgpack.unpackb(data)
        if message["type"] == "hello":
            self.send({"type": "welcome", "request": message["request"], **WELCOME})
        return data

    def receive_map(self, kind: str) -> dict[str, Any]:
        """The next message of this type; others are passed over."""
        while True:
            message: dict[str, Any] = msgpack.unpackb(self.receive())
            if message["type"] == kind:
                return message

    def send(self, message: dict[str, Any]) -> None:
        self.send_frames(msgpack.packb(message))

    def send_frames(self, *frames: bytes) -> None:
        self._socket.send_multipart([self.client, *frames])

    def close(self) -> None:
        self._socket.close()
        self._context.term()
