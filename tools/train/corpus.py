"""The corpus: a seeded generator of persona + facts + player line -> NPC line.

A scene is one NPC with what it knows, and several exchanges with it. Training packs the exchanges of a scene behind one
encoding of its persona; evaluation asks one at a time. `held_out=True` draws every name from the part of the name space
that training never touches, so that a right answer must have been copied from the prompt.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from runtime.npc import Npc
from tools.train import lexicon
from tools.train.facts import Fact, World, draw_facts
from tools.train.intents import INTENTS, Intent

HISTORY_SHARE = 0.2  # exchanges that come after one or two earlier turns
OPENER_SHARE = 0.4  # answers that start with a word of mood or manner


@dataclass(frozen=True, slots=True)
class Exchange:
    """A player's line and the NPC's answer; `needed` are the words that a right answer contains."""

    intent: str
    player: str
    answer: str
    needed: tuple[str, ...]
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """One NPC and exchanges that are independent of each other."""

    npc: Npc
    exchanges: tuple[Exchange, ...]


def _opener(rng: random.Random, npc: Npc) -> str:
    pools = [pool for pool in (lexicon.MOOD_OPENERS.get(npc.mood), lexicon.MANNER_OPENERS.get(npc.manner)) if pool]
    if not pools or rng.random() >= OPENER_SHARE:
        return ""
    return rng.choice(rng.choice(pools)) + " "


def _exchange(rng: random.Random, npc: Npc, intent: Intent, slots: dict[str, str]) -> Exchange:
    player = rng.choice(intent.players).format(**slots)
    answer = _opener(rng, npc) + rng.choice(intent.answers).format(**slots)
    return Exchange(intent.name, player, answer, tuple(slots[name] for name in intent.needed))


def _candidates(facts: list[Fact], npc: Npc) -> list[tuple[Intent, Fact | None]]:
    """Every intent that this NPC can answer, once for each fact that it may be about."""
    found: list[tuple[Intent, Fact | None]] = []
    for intent in INTENTS:
        if intent.name == "feeling" and not npc.mood:
            continue
        if any(fact.kind == intent.lacking for fact in facts):
            continue
        if intent.about is None:
            found.append((intent, None))
        else:
            found.extend((intent, fact) for fact in facts if fact.kind == intent.about)
    return found


def _with_history(rng: random.Random, exchanges: list[Exchange]) -> list[Exchange]:
    """Put one or two of the scene's other exchanges before some of them."""
    result = []
    for exchange in exchanges:
        others = [other for other in exchanges if other is not exchange]
        if others and rng.random() < HISTORY_SHARE:
            earlier = rng.sample(others, min(len(others), rng.choice((1, 1, 2))))
            history = tuple((other.player, other.answer) for other in earlier)
            exchange = Exchange(exchange.intent, exchange.player, exchange.answer, exchange.needed, history)
        result.append(exchange)
    return result


def draw_scene(rng: random.Random, *, exchanges: int, held_out: bool = False) -> Scene:
    """Draw one NPC, three to eight facts, and `exchanges` exchanges with it.

    A scene with a small number of exchanges asks about different things; no fact is asked for twice in the same way.
    """
    world = World(rng, held_out)
    place = world.towns.pop()
    facts = draw_facts(world, rng.randint(3, 8))
    npc = Npc(
        id="npc",
        name=world.people.pop(),
        role=rng.choice(lexicon.ROLES),
        place=place,
        mood=rng.choice((*lexicon.MOODS, "")),
        manner=rng.choice((*lexicon.MANNERS, "")),
        knowledge=tuple(fact.sentence for fact in facts),
    )
    candidates = _candidates(facts, npc)
    drawn: list[Exchange] = []
    while candidates and len(drawn) < exchanges:
        weights = [intent.weight for intent, _ in candidates]
        index = rng.choices(range(len(candidates)), weights)[0]
        intent, fact = candidates.pop(index)
        slots = _slots(world, npc, fact)
        drawn.append(_exchange(rng, npc, intent, slots))
    return Scene(npc, tuple(_with_history(rng, drawn)))


def _slots(world: World, npc: Npc, fact: Fact | None) -> dict[str, str]:
    new_item, new_town, new_person = world.items[0], world.towns[0], world.people[0]
    world.rng.shuffle(world.items)
    strangers = {
        "new_item": new_item,
        "a_new_item": lexicon.with_article(new_item),
        "new_town": new_town,
        "new_person": new_person,
    }
    own = {"name": npc.name, "role": npc.role, "place": npc.place, "mood": npc.mood}
    return own | strangers | (fact.slots if fact else {})


def scenes(seed: int, *, exchanges: int, held_out: bool = False) -> Iterator[Scene]:
    """An endless stream of scenes, a function of `seed` alone."""
    rng = random.Random(seed)
    while True:
        yield draw_scene(rng, exchanges=exchanges, held_out=held_out)
