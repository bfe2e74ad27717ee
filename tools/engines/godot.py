"""Godot for the samples and tests: `python -m tools.engines.godot` prints where it is, and installs it if it is not.

Standard library only: this runs before anything is installed.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.environment import PROJECT_ROOT, SetupError

INSTALLED = PROJECT_ROOT / ".engines" / "godot"
INSTALLER = Path(__file__).with_suffix(".sh")
OLDEST = (4, 4)
INSTALL_TIMEOUT_S = 600.0
VERSION_TIMEOUT_S = 60.0


def find_godot(named: str | None = None) -> Path:
    """A Godot of version 4.4 or newer.

    Looks at `named`, the environment variables PALAVER_GODOT and GODOT, `godot` and `godot4` on PATH, and what was
    installed here before; on Debian (amd64) it then installs one into `.engines/godot`, half a gigabyte, which changes
    nothing else on the machine and needs no root.

    Raises:
        SetupError: what was named is none, or none is here and none can be installed.
    """
    for name in (named, os.environ.get("PALAVER_GODOT"), os.environ.get("GODOT")):
        if name:
            return _checked(name)
    installed = INSTALLED / "bin" / "godot"
    for found in (shutil.which("godot"), shutil.which("godot4"), str(installed)):
        if found is not None and _is_new_enough(_version(found)):
            return Path(found)
    return _install(installed)


def _checked(name: str) -> Path:
    program = shutil.which(name)
    if program is None:
        raise SetupError(f"{name} is no program. Name Godot's executable")
    version = _version(program)
    if not _is_new_enough(version):
        raise SetupError(f"{program} is {version or 'no Godot'}; Godot 4.4 or newer is needed")
    return Path(program)


def _version(program: str) -> str:
    """What the program says its version is; empty where it cannot be run."""
    command = [program, "--headless", "--version"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=VERSION_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _is_new_enough(version: str) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST


def _install(program: Path) -> Path:
    if shutil.which("apt-get") is None or shutil.which("bash") is None:
        raise SetupError("Godot was not found, and only on Debian can it be installed from here. Get Godot 4")
    command = ["bash", str(INSTALLER), str(INSTALLED)]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=INSTALL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise SetupError(f"Godot could not be installed within {INSTALL_TIMEOUT_S:g} s") from None
    if done.returncode != 0:
        raise SetupError(f"Godot could not be installed: {' / '.join(done.stderr.splitlines()[-6:])}")
    return program


if __name__ == "__main__":
    try:
        print(find_godot())
    except SetupError as error:
        sys.exit(f"error: {error}")
