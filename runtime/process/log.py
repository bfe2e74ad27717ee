"""The sidecar's log: what a player can send to whoever made the game. What is said in the game is not in it."""

import contextlib
import logging
import logging.handlers
import sys
from pathlib import Path

from runtime.process.facts import first_line

MAX_BYTES = 1 << 20
OLDER_FILES = 2

_log = logging.getLogger("palaver")


class SidecarLog(logging.handlers.RotatingFileHandler):
    """A file of at most MAX_BYTES and its OLDER_FILES predecessors, each with the versions in its first line.

    A log that cannot be written is no reason to end a game: one warning on standard error, and no more log.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MAX_BYTES, backupCount=OLDER_FILES, encoding="utf-8")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self._given_up = False
        self._begin()

    def doRollover(self) -> None:  # noqa: N802 - the standard library's name
        super().doRollover()
        self._begin()

    def emit(self, record: logging.LogRecord) -> None:
        if not self._given_up:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the standard library's name
        self._give_up(sys.exc_info()[1])

    def close(self) -> None:
        # What a full disk did not take is still in the buffer, and would be tried once more.
        with contextlib.suppress(OSError):
            super().close()

    def _begin(self) -> None:
        """Write the first line of a file, as plain as it is."""
        try:
            if self.stream is None:
                self.stream = self._open()
            self.stream.write(first_line() + self.terminator)
            self.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: BaseException | None) -> None:
        self._given_up = True
        warn_of_no_log(Path(self.baseFilename), error)


def log_to(path: Path | None) -> None:
    """Write the log to this file from now on; without one, only warnings go to standard error."""
    if path is None:
        return
    _log.setLevel(logging.INFO)
    try:
        _log.addHandler(SidecarLog(path))
    except OSError as error:
        warn_of_no_log(path, error)


def warn_of_no_log(path: Path, error: BaseException | None) -> None:
    """Say on standard error that there is no log, and why."""
    reason = getattr(error, "strerror", None) or error
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"warning: the log {path} cannot be written ({reason}); going on without", file=sys.stderr, flush=True)
