"""JSON Lines: `.jsonl` files with an object for each line."""

import json
from pathlib import Path
from typing import Any

from tools.train.script import columns
from tools.train.script.sample import Sample, Script, fault, read_text


def read_records(path: Path, players: frozenset[str], script: Script) -> None:
    """Add the objects of a file to `script`: {"speaker": ..., "line": ..., "context": text or list of texts}.

    Raises:
        ScriptError: something is not an object, or lacks one of the texts.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise fault(path, number, f"not valid JSON ({error})", "Write one object a line") from error
        if not isinstance(record, dict):
            raise fault(path, number, "not a JSON object", 'Write {"speaker": ..., "line": ..., "context": ...}')
        speaker = _text(path, number, record, columns.SPEAKER)
        said = _text(path, number, record, columns.LINE)
        if speaker.casefold() not in players:
            script.samples.append(Sample(speaker, said, _context(path, number, record), number))


def _text(path: Path, number: int, record: dict[str, Any], names: tuple[str, ...]) -> str:
    value = record.get(columns.named(record, names) or "")
    if not isinstance(value, str) or not value.strip():
        raise fault(path, number, f"no text under {names[0]}", f"Give it as {' or '.join(names[:3])}")
    return value.strip()


def _context(path: Path, number: int, record: dict[str, Any]) -> tuple[str, ...]:
    given = record.get(columns.named(record, columns.CONTEXT) or "") or []
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise fault(path, number, "context is neither text nor a list of texts", "Give what was said before")
    said = [text.strip() for text in texts if text.strip()]
    # Turns are pairs, so that an even number of texts begins in the middle of one.
    return tuple(said[-3:] if len(said) >= 3 else said[-1:])
