"""The names under which tables and records keep speaker, line and context."""

from collections.abc import Iterable

SPEAKER = ("speaker", "character", "name", "actor", "who", "npc")
LINE = ("line", "text", "dialogue", "dialog", "answer", "response")
CONTEXT = ("context", "prompt", "player", "said", "question", "input")
SCENE = ("scene", "conversation", "node", "title", "group")


def named(keys: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """The first of `keys` that, in whatever case, is one of `wanted`; those that stand first there are preferred."""
    found = {key.strip().casefold(): key for key in keys}
    return next((found[name] for name in wanted if name in found), None)
