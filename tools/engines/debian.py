"""Packages of Debian and Ubuntu, for what the tests of the bindings need.

Standard library only: this runs before anything is installed.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence

from tools.environment import SetupError

INSTALL_TIMEOUT_S = 600.0


def install_packages(what: str, packages: Sequence[str]) -> None:
    """Install packages by apt-get; whether what they bring is there then is for the caller to see.

    Raises:
        SetupError: `what` they are wanted for was not found, and they cannot be installed here.
    """
    wanted = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise SetupError(f"{what} was not found, and without apt-get it cannot be installed. Install it ({wanted})")
    if os.geteuid() != 0:
        raise SetupError(f"{what} was not found, and only root can install it. Run: sudo apt-get install {wanted}")
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    try:
        if not _succeeds(install, environ):
            # The lists of packages may be missing or old.
            _succeeds(["apt-get", "update"], environ)
            _succeeds(install, environ)
    except subprocess.TimeoutExpired:
        raise SetupError(f"{what} could not be installed within {INSTALL_TIMEOUT_S:g} s") from None


def _succeeds(command: Sequence[str], environ: dict[str, str]) -> bool:
    done = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_TIMEOUT_S
    )
    return done.returncode == 0
