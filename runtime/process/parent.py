"""Ending with the game: whatever becomes of it, no sidecar may be left behind.

The kernel is asked about the parent's process, not told to send a signal at its death: Linux sends that one when the
*thread* ends that started the child, and engines start processes from threads that come and go.
"""

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable

GRACE_S = 5.0
"""Time to end in good order when the parent is gone; a pass of a large model may last longer."""

ENDED_BY_FORCE = 3

_POLL_S = 0.5


def end_with_parent(pid: int, end: Callable[[], None]) -> None:
    """Call `end` in a thread when the process `pid` has ended, or at once if there is none; then see that it helps."""
    _watch("parent", lambda: wait_for_exit(pid), end)


def end_with_stdin(end: Callable[[], None]) -> None:
    """Call `end` in a thread when standard input is closed; what comes through it is thrown away."""
    _watch("stdin", wait_for_stdin, end)


def wait_for_exit(pid: int) -> None:
    """Block until the process `pid` has ended."""
    try:
        _wait_in_kernel(pid)
    except ProcessLookupError:
        return
    # A system or a sandbox without such a call, or no handle to be had.
    except (OSError, AttributeError):
        _wait_by_looking(pid)


def wait_for_stdin() -> None:
    """Block until standard input is closed."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass


def _watch(name: str, wait: Callable[[], None], end: Callable[[], None]) -> None:
    def run() -> None:
        wait()
        end()
        time.sleep(GRACE_S)
        os._exit(ENDED_BY_FORCE)

    threading.Thread(target=run, name=name, daemon=True).start()


def _wait_by_looking(pid: int) -> None:
    adopted_by = os.getppid()
    while os.getppid() == adopted_by:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        except PermissionError:
            pass
        time.sleep(_POLL_S)


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _SYNCHRONIZE, _FOREVER = 0x00100000, 0xFFFFFFFF

    def _wait_in_kernel(pid: int) -> None:
        kernel = ctypes.WinDLL("kernel32")
        kernel.OpenProcess.restype = wintypes.HANDLE
        kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
        kernel.WaitForSingleObject.argtypes = (wintypes.HANDLE, wintypes.DWORD)
        kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
        handle = kernel.OpenProcess(_SYNCHRONIZE, False, pid)
        # No handle: it has ended, or belongs to somebody else and cannot have started this process.
        if handle:
            kernel.WaitForSingleObject(handle, _FOREVER)
            kernel.CloseHandle(handle)

elif sys.platform == "linux":

    def _wait_in_kernel(pid: int) -> None:
        handle = os.pidfd_open(pid)
        try:
            waiting = select.poll()
            waiting.register(handle, select.POLLIN)
            waiting.poll()
        finally:
            os.close(handle)

elif sys.platform == "darwin":

    def _wait_in_kernel(pid: int) -> None:
        queue = select.kqueue()
        try:
            queue.control([select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)], 1, None)
        finally:
            queue.close()

else:

    def _wait_in_kernel(pid: int) -> None:
        raise OSError(f"{sys.platform} has no call that waits for process {pid}")
