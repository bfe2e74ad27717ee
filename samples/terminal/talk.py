"""A talk with four characters in a terminal: a loop of lines, with a deadline, drafts, and characters that remember.

    python samples/terminal/talk.py [--deadline-ms 4000] [--model DIR]

Type what you say; `guard`, `hunter`, `merchant` or `innkeeper` alone turns to that character; an empty line ends it.
Needs the package `palaver` installed; `python tools/quickstart.py` installs it into `.venv`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from runtime.client import PalaverClient, start_sidecar
from runtime.errors import PalaverError
from runtime.messages import DraftReply
from runtime.npc import Npc

PEOPLE = Path(__file__).resolve().parent / "people"
FAINT, PLAIN, CLEAR_LINE = "\x1b[2m", "\x1b[0m", "\r\x1b[K"


def main() -> int:
    parser = argparse.ArgumentParser(description="Talk with four characters in a terminal.")
    parser.add_argument("--deadline-ms", type=int, default=4000, help="when an answer has to be there (default 4000)")
    parser.add_argument("--model", type=Path, metavar="DIR", help="a bundle to use in place of the pocket model")
    options = parser.parse_args()
    try:
        with start_sidecar(options.model) as sidecar, PalaverClient(sidecar) as client:
            talk(client, options.deadline_ms)
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
    return 0


def talk(client: PalaverClient, deadline_ms: int) -> None:
    people = {npc.id: npc for npc in map(Npc.from_file, sorted(PEOPLE.glob("*.toml")))}
    for npc in people.values():
        client.put_npc(npc)
    print(", ".join(f"{npc.name} ({npc.id})" for npc in people.values()))
    listener = people["innkeeper"]
    for text in typed_lines():
        if text in people:
            listener = people[text]
            print(f"You turn to {listener.name}, the {listener.role}.")
            continue
        line = client.ask(listener.id, text, deadline_ms=deadline_ms, on_draft=show_draft)
        if sys.stdout.isatty():
            print(CLEAR_LINE, end="")
        print(f"{listener.name}: {line.text}  ({line.source}, {line.timings.total_ms:.0f} ms)")


def typed_lines() -> Iterator[str]:
    """What the player types, until an empty line or the end of the input."""
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            return
        if not text:
            return
        yield text


def show_draft(draft: DraftReply) -> None:
    """The line while it resolves: the settled words as they are, the others faint."""
    if sys.stdout.isatty():
        settled, unsettled = draft.text[: draft.stable_chars], draft.text[draft.stable_chars :]
        print(f"{CLEAR_LINE}{settled}{FAINT}{unsettled}{PLAIN}", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
