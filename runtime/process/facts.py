"""Versions and machine: the first thing that is asked of whoever reports a problem."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from runtime.installation import PACKAGES
from runtime.version import __version__

DEVICE = "CPU"


def facts() -> dict[str, str]:
    """What runs here and on what, in words."""
    return {
        "palaver": __version__,
        "python": platform.python_version(),
        "onnxruntime": _version_of(*PACKAGES),
        "system": platform.platform(),
        "device": f"{DEVICE}, {platform.machine()}, {os.cpu_count() or 1} threads",
    }


def first_line() -> str:
    """All facts in one line."""
    return ", ".join(f"{name} {value}" for name, value in facts().items())


def _version_of(*packages: str) -> str:
    for package in packages:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "unknown"
