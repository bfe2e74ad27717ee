"""`python -m tools.conversation PORT`: the protocol's conversation through the Python client, to compare others with.

Prints one JSON string a line, the text of each answer. The sidecar's secret is taken from PALAVER_SECRET.
"""

import json
import os
import sys
from pathlib import Path

from runtime.client import PalaverClient
from runtime.npc import Npc
from runtime.process.secret import SECRET_VARIABLE

CONVERSATION = Path(__file__).resolve().parent.parent / "bindings" / "protocol" / "conversation.json"


def hold_conversation(port: int, secret: str | None) -> list[str]:
    """The answers: all characters are put, then asked one after another."""
    conversation = json.loads(CONVERSATION.read_text(encoding="utf-8"))
    with PalaverClient(port, secret=secret) as client:
        for npc in conversation["npcs"]:
            client.put_npc(Npc.from_mapping(npc))
        return [
            client.ask(ask["npc"], ask["text"], seed=ask["seed"], steps=ask["steps"]).text
            for ask in conversation["asks"]
        ]


def main() -> None:
    """Hold it with the sidecar of this port."""
    for text in hold_conversation(int(sys.argv[1]), os.environ.get(SECRET_VARIABLE)):
        print(json.dumps(text))


if __name__ == "__main__":
    main()
