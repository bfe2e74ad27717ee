"""The persona as the model reads it."""

from runtime.actions import parse_actions
from runtime.npc import Npc


def head_line(npc: Npc) -> str:
    """Who speaks: `You are Mira, blacksmith of Oakvale. Mood: tired. Manner: gruff.`; what is empty is left out."""
    place = f" of {npc.place.strip()}" if npc.place.strip() else ""
    sentences = [f"You are {npc.name.strip()}, {npc.role.strip()}{place}."]
    for label, value in (("Mood", npc.mood), ("Manner", npc.manner), ("Language", npc.language)):
        if value.strip():
            sentences.append(f"{label}: {value.strip()}.")
    return " ".join(sentences)


def secret_line(secret: str) -> str:
    """A fact that the character keeps to itself."""
    return f"Secret: {secret.strip()}"


def action_heads(npc: Npc) -> list[str]:
    """The actions as the model writes them, `give(item)` for `give(item: iron kettle|oak shield)`."""
    return [action.text for action in parse_actions(npc.actions)]


def actions_line(heads: list[str]) -> str:
    """What the character may do."""
    return f"Actions: {', '.join(heads)}."


def system_text(npc: Npc) -> str:
    """The whole persona: who speaks, then one fact a line, one secret a line, and the actions."""
    facts = [fact.strip() for fact in npc.knowledge]
    actions = [actions_line(action_heads(npc))] if npc.actions else []
    return "\n".join([head_line(npc), *facts, *map(secret_line, npc.secrets), *actions])


def summary_line(summary: str) -> str:
    """What stands for turns that are no longer told."""
    return f"Earlier: {summary.strip()}"
