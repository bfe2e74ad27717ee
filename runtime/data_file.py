"""Files that a game's people write: TOML or JSON, by the end of their name."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from runtime.errors import RequestError

Read = TypeVar("Read")


def read_data_file(path: Path | str, build: Callable[[Mapping[str, Any]], Read]) -> Read:
    """What `build` makes of the table in a file; JSON if its name ends in .json, else TOML.

    Raises:
        RequestError: the file cannot be read, is not what its name says, or `build` refuses it; names the file.
    """
    path = Path(path)
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        # Editors on Windows like to write a byte order mark, which neither parser takes.
        text = path.read_text(encoding="utf-8-sig")
        table = json.loads(text) if kind == "JSON" else tomllib.loads(text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RequestError(f"{path} cannot be read ({reason})", "Check the path of the file") from error
    # RecursionError: JSON that is nested too deeply.
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{path} is not valid {kind}: {error}", "Correct the file; save it as UTF-8") from error
    try:
        return build(table)
    except RequestError as error:
        raise RequestError(f"{path}: {error.message}", error.hint, code=error.code) from error
