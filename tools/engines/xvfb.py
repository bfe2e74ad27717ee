"""A screen in memory, for pictures of a game on a machine without one; `python -m tools.engines.xvfb` sees to it.

Standard library only: this runs before anything is installed.
"""

import os
import shutil
import sys

from tools.engines.debian import install_packages
from tools.environment import SetupError

PACKAGES = ("xvfb", "xauth")


def has_screen() -> bool:
    """Whether there is something to draw on: a screen, or Xvfb."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    return shutil.which("xvfb-run") is not None and shutil.which("xauth") is not None


def install_xvfb() -> None:
    """Have a screen: the one that is here, or Xvfb from Debian's packages (8 MB; needs root).

    Raises:
        SetupError: there is none and it cannot be installed.
    """
    if has_screen():
        return
    install_packages("Xvfb", PACKAGES)
    if not has_screen():
        raise SetupError(f"Xvfb could not be installed. Run: apt-get install {' '.join(PACKAGES)}")


if __name__ == "__main__":
    try:
        install_xvfb()
    except SetupError as error:
        sys.exit(f"error: {error}")
