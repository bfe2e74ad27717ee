"""A sidecar as a child process: started, waited for, and always ended."""

import contextlib
import json
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from runtime.errors import PalaverError
from runtime.message import READY
from runtime.process.secret import SECRET_VARIABLE

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 5.0

_PACKAGE_PARENT = Path(__file__).resolve().parent.parent
_COMPLAINT_LINES = 12
_SECRET_BYTES = 16


class Sidecar:
    """A running sidecar process; use it in a `with` block, or call `stop()`.

    Attributes:
        port: where it listens on 127.0.0.1.
        secret: what its clients have to say; None lets anybody in.
        process: the child.
    """

    def __init__(self, process: subprocess.Popen[str], port: int, secret: str | None) -> None:
        self.process = process
        self.port = port
        self.secret = secret

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> int:
        """End the process, by force if it does not go on its own within seconds; returns its exit code."""
        return _end(self.process)


def start_sidecar(
    model_dir: Path | str | None = None,
    *,
    threads: int = 1,
    port: int = 0,
    secret: str | None = None,
    log_file: Path | str | None = None,
    timeout_s: float = START_TIMEOUT_S,
    arguments: Sequence[str] = (),
) -> Sidecar:
    """Start `python -m runtime.serve` with this Python and wait until it listens; its model may still be loading.

    The sidecar ends with this process, however that ends.

    Args:
        model_dir: folder of the bundle; None for the pocket model.
        threads: CPU threads of the model.
        port: where to listen; 0 for any free port.
        secret: what its clients have to say; None makes one up, and "" lets anybody in.
        log_file: where the sidecar writes its log; None for none.
        timeout_s: how long to wait for its READY line.
        arguments: further ones of the command, such as ("--prompt-tokens", "512").

    Raises:
        PalaverError: code "sidecar-failed" with what the process wrote to its standard error, or "timeout".
    """
    secret = secrets.token_hex(_SECRET_BYTES) if secret is None else secret
    # -P and the package's own folder first: a game's working directory may well hold a `runtime` of its own.
    command = [sys.executable, "-P", "-m", "runtime.serve", "--threads", str(threads), "--port", str(port)]
    command += ["--parent-pid", str(os.getpid()), *arguments]
    if model_dir is not None:
        command += ["--model", str(Path(model_dir).resolve())]
    if log_file is not None:
        command += ["--log-file", str(Path(log_file).resolve())]
    paths = [str(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", SECRET_VARIABLE: secret}
    # A file takes any amount of text and is never full; a pipe that nobody reads would stop the child in the end.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
        process = subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            encoding="utf-8",
            errors="replace",
        )
        try:
            return Sidecar(process, _ready_port(process, complaints, timeout_s), secret or None)
        except BaseException:
            _end(process)
            raise


def _ready_port(process: subprocess.Popen[str], complaints: IO[str], timeout_s: float) -> int:
    stdout = process.stdout
    assert stdout is not None
    # Pipes cannot be waited for with a limit on every platform; a thread that reads one line can.
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True)
    reader.start()
    try:
        line = lines.get(timeout=timeout_s)
    except queue.Empty:
        process.kill()
        reader.join()
        raise PalaverError(
            f"the sidecar was not ready within {timeout_s:g} s", "Wait longer with timeout_s", code="timeout"
        ) from None
    if not line.startswith(READY):
        _end(process)
        complaints.seek(0)
        said = " / ".join(complaints.read().strip().splitlines()[-_COMPLAINT_LINES:])
        raise PalaverError(
            f"the sidecar did not start (exit code {process.returncode}): {said or line or 'it said nothing'}",
            "Correct what it complains of",
            code="sidecar-failed",
        )
    return int(json.loads(line.removeprefix(READY))["port"])


def _end(process: subprocess.Popen[str]) -> int:
    """Terminate, then kill a child; leaves no zombie and no open pipe."""
    with contextlib.suppress(OSError):
        process.terminate()
    try:
        code = process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    if process.stdout is not None:
        process.stdout.close()
    return code
