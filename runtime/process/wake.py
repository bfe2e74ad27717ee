"""Waking and ending the sidecar's loop from a signal or another thread."""

import contextlib
import signal
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Self


class Wake:
    """A socket that becomes readable when something has happened: a wait inside ZeroMQ is ended by nothing else.

    Attributes:
        reader: the socket.
        stopping: the loop shall end.
    """

    def __init__(self) -> None:
        self.stopping = False
        self.reader, self._writer = socket.socketpair()
        self.reader.setblocking(False)
        self._writer.setblocking(False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.reader.close()
        self._writer.close()

    def notify(self) -> None:
        """End the wait; from any thread."""
        # Full means that it is readable already, closed that nobody waits any more.
        with contextlib.suppress(OSError):
            self._writer.send(b"\0")

    def stop(self) -> None:
        """Let the loop end; from any thread, or from a signal handler."""
        self.stopping = True
        self.notify()

    def drain(self) -> None:
        """Make the next wait wait again."""
        with contextlib.suppress(BlockingIOError):
            while self.reader.recv(4096):
                pass

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Let signals that have a handler wake too; for the main thread."""
        before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
