"""How much memory this process has, on the systems that tell it without another package."""

import os
import sys
from pathlib import Path

_MB = 1 << 20


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Counters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS of psapi.h."""

        _fields_ = (
            ("cb", wintypes.DWORD),
            ("PageFaultCount", wintypes.DWORD),
            ("PeakWorkingSetSize", ctypes.c_size_t),
            ("WorkingSetSize", ctypes.c_size_t),
            ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
            ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
            ("PagefileUsage", ctypes.c_size_t),
            ("PeakPagefileUsage", ctypes.c_size_t),
        )

    def resident_mb() -> float:
        """Resident memory in 2**20 bytes; on macOS the most that it ever was."""
        counters = _Counters()
        counters.cb = ctypes.sizeof(counters)
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        kernel.K32GetProcessMemoryInfo.argtypes = (wintypes.HANDLE, ctypes.POINTER(_Counters), wintypes.DWORD)
        if not kernel.K32GetProcessMemoryInfo(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb):
            return 0.0
        return float(counters.WorkingSetSize) / _MB

else:
    import resource

    def resident_mb() -> float:
        """Resident memory in 2**20 bytes; on macOS the most that it ever was."""
        statm = Path("/proc/self/statm")
        if statm.exists():
            return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MB
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (_MB if sys.platform == "darwin" else 1024)
