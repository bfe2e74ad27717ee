"""A script of any format, by the end of its name."""

from collections.abc import Iterable
from pathlib import Path

from tools.train.script.ink import read_ink
from tools.train.script.po import read_po
from tools.train.script.records import read_records
from tools.train.script.sample import Script, ScriptError
from tools.train.script.table import read_table
from tools.train.script.tres import read_tres
from tools.train.script.yarn import read_yarn

READERS = {
    ".csv": read_table,
    ".tsv": read_table,
    ".jsonl": read_records,
    ".yarn": read_yarn,
    ".ink": read_ink,
    ".tres": read_tres,
    ".po": read_po,
    ".pot": read_po,
}
PLAYERS = ("player", "you")


def read_script(path: Path, players: Iterable[str] = PLAYERS) -> Script:
    """All lines of a file, or of every file in a folder whose format is known, in the order of their names.

    Args:
        path: file or folder.
        players: who is the player; their lines are what the others answer.

    Raises:
        ScriptError: a file cannot be read, there is none, or none has a line; names file and line.
    """
    names = frozenset(player.casefold() for player in players)
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in READERS)
        if not files:
            raise ScriptError(f"{path} holds no script", f"Known are {', '.join(READERS)}")
    script = Script()
    for file in files:
        reader = READERS.get(file.suffix.lower())
        if reader is None:
            raise ScriptError(f"{file} is of no format that is known", f"Known are {', '.join(READERS)}")
        reader(file, names, script)
    if not script.samples:
        told = "; ".join(f"{count} lines left out: {reason}" for reason, count in script.left_out.items())
        raise ScriptError(f"{path} holds no line of a character{f' ({told})' if told else ''}", "See docs/finetune.md")
    return script
