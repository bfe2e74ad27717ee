"""The game goes first: this process gives way where both want the same core."""

import contextlib
import os
import sys

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _BELOW_NORMAL_PRIORITY_CLASS = 0x4000

    def give_way() -> None:
        """Run below the priority of a game."""
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        kernel.SetPriorityClass.argtypes = (wintypes.HANDLE, wintypes.DWORD)
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL_PRIORITY_CLASS)

elif sys.platform == "linux":

    def give_way() -> None:
        """Never take a core from a thread that is running: a tick wakes the sidecar while the game is at its frame.

        Its share of the time stays the same, so lines take no longer. Threads that are started later inherit it.
        """
        # Some containers forbid it; a game that stutters now and then is better than none.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

else:

    def give_way() -> None:
        """Nothing to be had here but a lower share of the time, which would make lines slower."""
