"""Mono for the tests of the Unity package: `python -m tools.engines.mono` prints where it is, and installs it if not.

Standard library only: this runs before anything is installed.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.engines.debian import install_packages
from tools.environment import SetupError

PACKAGES = ("mono-mcs", "mono-runtime")
COMPILE_TIMEOUT_S = 120.0
# Neither local functions nor anything newer: what this compiler takes, every Unity since 2021 takes too.
LANGUAGE = "7.2"


@dataclass(frozen=True, slots=True)
class Mono:
    """The C# compiler and the runtime for what it compiles."""

    compiler: str
    runtime: str

    def compile(
        self,
        sources: Sequence[Path],
        output: Path,
        *,
        references: Sequence[Path] = (),
        documented: bool = False,
    ) -> None:
        """Compile C# to a program (.exe) or a library (.dll), warnings as errors.

        With `documented`, a public member without a documentation comment is a warning too.

        Raises:
            SetupError: with what the compiler says.
        """
        kind = "library" if output.suffix == ".dll" else "exe"
        command = [self.compiler, f"-langversion:{LANGUAGE}", f"-target:{kind}", "-warn:4", "-warnaserror+", "-debug"]
        command += [f"-r:{reference}" for reference in references]
        if documented:
            command.append(f"-doc:{output.with_suffix('.xml')}")
        command += [f"-out:{output}", *map(str, sources)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=COMPILE_TIMEOUT_S)
        if done.returncode != 0:
            raise SetupError(f"{output.name} does not compile:\n{done.stdout}{done.stderr}")


def find_mono() -> Mono | None:
    """The compiler and the runtime on PATH; None where one of them is missing."""
    compiler, runtime = shutil.which("mcs"), shutil.which("mono")
    return Mono(compiler, runtime) if compiler and runtime else None


def install_mono() -> Mono:
    """The mono that is here, or one from Debian's packages (25 MB; needs root).

    Raises:
        SetupError: there is none and it cannot be installed.
    """
    if (found := find_mono()) is not None:
        return found
    install_packages("mono", PACKAGES)
    if (found := find_mono()) is None:
        raise SetupError(f"mono could not be installed. Run: apt-get install {' '.join(PACKAGES)}")
    return found


if __name__ == "__main__":
    try:
        print(install_mono().runtime)
    except SetupError as error:
        sys.exit(f"error: {error}")
