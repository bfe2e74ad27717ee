"""The held-out set: questions about people and towns whose names training never drew."""

from dataclasses import dataclass

from runtime.npc import Npc
from tools.train.corpus import Exchange, scenes

HELD_OUT_SEED = 20_000_003  # training seeds its corpus elsewhere, and from the other side of the name split


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask one NPC, and what a right answer must contain."""

    npc: Npc
    exchange: Exchange


def held_out_questions(count: int, seed: int = HELD_OUT_SEED) -> list[Question]:
    """The first `count` questions of the held-out stream, one from each scene; a fifth come after earlier turns."""
    supply = scenes(seed, exchanges=3, held_out=True)  # the other two serve as those turns
    return [Question(scene.npc, scene.exchanges[0]) for scene in (next(supply) for _ in range(count))]
