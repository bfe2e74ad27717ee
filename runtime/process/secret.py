"""The secret of one launch, by which the sidecar knows its game; never an argument, which every process can read."""

from collections.abc import Mapping
from pathlib import Path

from runtime.checks import check_text
from runtime.errors import RequestError
from runtime.npc import MAX_FIELD_CHARS

SECRET_VARIABLE = "PALAVER_SECRET"


def read_secret(path: Path | None, environ: Mapping[str, str]) -> str | None:
    """The secret from a file, else from the environment; None if there is none, which lets anybody in.

    Raises:
        RequestError: the file cannot be read, or holds no secret of 1 to 200 characters.
    """
    if path is None:
        given = environ.get(SECRET_VARIABLE)
        return None if not given else check_text(SECRET_VARIABLE, given, max_chars=MAX_FIELD_CHARS)
    try:
        given = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise RequestError(f"the secret file {path} cannot be read ({reason})", "Check the path") from error
    return check_text("the secret in the file", given, max_chars=MAX_FIELD_CHARS)
