"""g++ for the tests of the Unreal plugin: `python -m tools.engines.cpp` prints where it is, and installs it if not.

Standard library only: this runs before anything is installed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.engines.debian import install_packages
from tools.environment import SetupError

PACKAGE = "g++"
COMPILE_TIMEOUT_S = 240.0
# As Unreal builds a plugin: no exceptions, no run-time types, nothing shadowed, no undefined name in #if.
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wundef", "-fno-exceptions", "-fno-rtti")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")


@dataclass(frozen=True, slots=True)
class Cpp:
    """A C++17 compiler that takes the options of GCC."""

    program: str

    def compile(
        self, sources: Sequence[Path], output: Path, *, options: Sequence[str] = (), includes: Sequence[Path] = ()
    ) -> Path:
        """Compile one source to an object file (.o), or sources and objects to a program; warnings are errors.

        Args:
            sources: what to compile or link.
            output: what to write; returned.
            options: beside FLAGS.
            includes: folders of headers.

        Raises:
            SetupError: with what the compiler says.
        """
        kind = ["-c"] if output.suffix == ".o" else []
        folders = [f"-I{folder}" for folder in includes]
        command = [self.program, *FLAGS, *options, *folders, *kind, *map(str, sources), "-o", str(output)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=COMPILE_TIMEOUT_S)
        if done.returncode != 0:
            raise SetupError(f"{output.name} does not compile:\n{done.stdout}{done.stderr}")
        return output


def find_cpp() -> Cpp | None:
    """g++ on PATH, or what the environment variable CXX names; None where there is none."""
    for name in (os.environ.get("CXX"), "g++"):
        if name and (program := shutil.which(name)) is not None:
            return Cpp(program)
    return None


def install_cpp() -> Cpp:
    """The compiler that is here, or one from Debian's packages (needs root).

    Raises:
        SetupError: there is none and it cannot be installed.
    """
    if (found := find_cpp()) is not None:
        return found
    install_packages("g++", (PACKAGE,))
    if (found := find_cpp()) is None:
        raise SetupError(f"g++ could not be installed. Run: apt-get install {PACKAGE}")
    return found


if __name__ == "__main__":
    try:
        print(install_cpp().program)
    except SetupError as error:
        sys.exit(f"error: {error}")
