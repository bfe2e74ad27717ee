"""Three NPCs, a question each: starts a sidecar, asks it for lines, prints them with their timings, stops it.

    python samples/terminal/ask_three.py [--model DIR]

Needs the package `palaver` installed; `python tools/quickstart.py` does both.
"""

import argparse
import sys
import time
from pathlib import Path

from runtime.ask import BUILT_IN_NPCS
from runtime.client import PalaverClient, start_sidecar
from runtime.errors import PalaverError
from runtime.npc import Npc

QUESTIONS = {
    "smith": "How much is the iron sword?",
    "innkeeper": "Where is Borin?",
    "guard": "Where were goblins seen?",
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Ask three NPCs a question each.")
    parser.add_argument("--model", type=Path, metavar="DIR", help="a bundle to use in place of the pocket model")
    options = parser.parse_args()
    try:
        return 0 if ask_all(options.model) else 1
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 1


def ask_all(model: Path | None) -> bool:
    """Whether the model had something to say for every NPC."""
    started_s = time.monotonic()
    all_answered = True
    with start_sidecar(model) as sidecar, PalaverClient(sidecar) as client:
        facts = client.welcome.model
        print(f"sidecar ready in {time.monotonic() - started_s:.1f} s with the model {facts.name}")
        for name, question in QUESTIONS.items():
            npc = Npc.from_file(BUILT_IN_NPCS / f"{name}.toml")
            line = client.ask(npc, question)
            print(f"\n  you: {question}\n  {npc.name}, {npc.role}: {line.text}")
            took = f"{line.timings.total_ms:.0f} ms, {line.steps_done} steps, {line.tokens} tokens"
            print(f"    {took}, seed {line.seed}")
            # A fallback is a line that was written beforehand: here it means that something is wrong.
            all_answered = all_answered and line.source != "fallback"
    return all_answered


if __name__ == "__main__":
    sys.exit(main())
