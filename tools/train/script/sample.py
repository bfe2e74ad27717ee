"""What every reader makes of a file: lines with who says them and what they answer."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from runtime.errors import PalaverError


class ScriptError(PalaverError):
    """A script that cannot be used; the message names file and line."""

    default_code = "bad-script"


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a character.

    Attributes:
        speaker: as the script spells it.
        line: what is said.
        context: what was said before, oldest first: nothing, the words that are answered, or the turn before too
            (words, the speaker's answer, the words that are answered).
        number: line of the file, from 1.
    """

    speaker: str
    line: str
    context: tuple[str, ...]
    number: int


@dataclass(slots=True)
class Script:
    """All that was read of one file or of several.

    Attributes:
        samples: in the order of the files.
        left_out: how many lines there is no use for, by reason.
    """

    samples: list[Sample] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        ScriptError: it cannot be read, or is not UTF-8; names the line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ScriptError(f"{path} cannot be read ({error.strerror})", "Check the path of the file") from error
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise fault(
            path, data[: error.start].count(b"\n") + 1, "this is not UTF-8", "Save the file as UTF-8"
        ) from error


def fault(path: Path, number: int, message: str, hint: str) -> ScriptError:
    """An error in a line of a file."""
    return ScriptError(f"{path}, line {number}: {message}", hint)
