"""Tables: `.csv` and `.tsv` files with a row for each line."""

import csv
import io
from pathlib import Path

from tools.train.script import columns
from tools.train.script.conversation import Conversation
from tools.train.script.sample import Sample, Script, fault, read_text

_DELIMITERS = ",;\t|"


def read_table(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the rows of a file to `script`.

    The first row names the columns. With a column for the context, a row stands for itself; without one, rows follow
    each other as a talk does, until a row is empty or a column for the scene says something else.

    Raises:
        ScriptError: there is no column for speaker or line, or a row has too many cells, or the file is no table.
    """
    text = read_text(path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        rows += ((reader.line_num, row) for row in reader)
    except csv.Error as error:
        raise fault(path, reader.line_num, f"{error}", "Export the table again as CSV in UTF-8") from error
    _read(path, rows, players, script)


def _delimiter(text: str) -> str:
    head = text.partition("\n")[0]
    return max(_DELIMITERS, key=head.count)


def _read(path: Path, rows: list[tuple[int, list[str]]], players: frozenset[str], script: Script) -> None:
    header = rows[0][1] if rows else []
    keys = {
        what: columns.named(header, names)
        for what, names in (("speaker", columns.SPEAKER), ("line", columns.LINE), ("context", columns.CONTEXT))
    }
    for what, names in (("speaker", columns.SPEAKER), ("line", columns.LINE)):
        if keys[what] is None:
            raise fault(path, 1, f"no column for the {what}", f"Name one of the columns {' or '.join(names[:3])}")
    scene_key = columns.named(header, columns.SCENE)
    talk, scene = Conversation(script, players), ""
    for number, row in rows[1:]:
        if len(row) > len(header):
            raise fault(
                path,
                number,
                f"{len(row)} cells, but the first row names {len(header)} columns",
                "Put texts that hold the separator in quotation marks",
            )
        cells = {key: cell.strip() for key, cell in zip(header, row, strict=False)}
        line = cells.get(keys["line"] or "", "")
        speaker = cells.get(keys["speaker"] or "", "")
        here = cells.get(scene_key, "") if scene_key else ""
        if not line or here != scene:
            talk.break_off()
            scene = here
        if not line:
            continue
        if not speaker:
            script.left_out["names no speaker"] += 1
        elif keys["context"] is None:
            talk.say(speaker, line, number)
        elif speaker.casefold() not in players:
            said = cells.get(keys["context"], "")
            script.samples.append(Sample(speaker, line, (said,) if said else (), number))
