"""Telling where the sidecar listens: one line on standard output, and a file if one is wanted."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from runtime.errors import PalaverError
from runtime.messages import PROTOCOL, READY
from runtime.version import __version__


def remove_stale(path: Path | None) -> None:
    """Remove the ready file of a sidecar that was killed, so that nobody takes it for this one's."""
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()


@contextlib.contextmanager
def ready(port: int, path: Path | None) -> Iterator[None]:
    """Print the READY line and write the file, which is removed at the end if it is still this process's.

    Raises:
        PalaverError: nobody could learn the port: the file cannot be written, or without one the line cannot
            ("not-ready").
    """
    facts = json.dumps({"port": port, "version": __version__, "protocol": PROTOCOL, "pid": os.getpid()})
    if path is not None:
        _write(path, facts)
    try:
        _print(f"{READY}{facts}", needed=path is None)
        yield
    finally:
        if path is not None:
            with contextlib.suppress(OSError):
                if path.read_text(encoding="utf-8") == facts:
                    path.unlink()


def _write(path: Path, text: str) -> None:
    """Write a file that is whole whenever it is there."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PalaverError(
            f"the ready file {path} cannot be written ({reason})",
            "Give --ready-file a path in a folder that can be written to and has room",
            code="not-ready",
        ) from error


def _print(line: str, *, needed: bool) -> None:
    try:
        # A program without a console on Windows has no standard output at all.
        if sys.stdout is None:
            raise OSError("there is no standard output")
        print(line, flush=True)
    except (OSError, ValueError) as error:
        if needed:
            raise PalaverError(
                f"the READY line cannot be written ({error})",
                "Read standard output, or use --ready-file",
                code="not-ready",
            ) from error
