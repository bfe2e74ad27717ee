"""The corpus: a seeded generator of persona + facts + player line -> NPC line.

A scene is one NPC with what it knows, and several exchanges with it. Training packs the exchanges of a scene behind one
encoding of its persona; evaluation asks one at a time. `held_out=True` draws every name, and every key of an open fact,
from the part that training never touches, so that a right answer must have been copied from the prompt; intents with
phrasings of their own for it are asked in these.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from runtime.npc import Npc
from tools.train import lexicon
from tools.train.facts import SECRET_KINDS, Fact, World, capitalised, draw_facts
from tools.train.intents import BY_NAME, INTENTS, Intent

HISTORY_SHARE = 0.15  # exchanges that come after one or two earlier turns which do not matter
OPENER_SHARE = 0.4  # answers that start with a word of mood or manner
SECRET_SHARE = 0.4  # NPCs with a secret or two
DEEDS_SHARE = 0.3  # NPCs that can do something
DRILL_SHARE = 0.35  # scenes of training that are all about things which a game made up
GIVES_SHARE = 0.6  # of these, those that can also give what they sell
DRILLED = frozenset({"open", "open_head", "unknown_open"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """A player's line and the NPC's answer.

    Attributes:
        needed: words that a right answer contains.
        or_needed: other sets of words that are as good.
        forbidden: words that it must not contain.
        action: what the NPC does, as it stands in brackets at the end of `answer`; "" for nothing.
    """

    intent: str
    player: str
    answer: str
    needed: tuple[str, ...]
    history: tuple[tuple[str, str], ...] = ()
    or_needed: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[str, ...] = ()
    action: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """One NPC and exchanges that are independent of each other."""

    npc: Npc
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Something that this NPC can be asked: an intent, its fact, and the fact of the turn before."""

    intent: Intent
    fact: Fact | None = None
    before: Fact | None = None


class _Teller:
    """Makes the exchanges of one NPC."""

    def __init__(self, world: World, npc: Npc, facts: list[Fact], secrets: list[Fact], *, gives: bool) -> None:
        self.world, self.rng, self.npc, self.facts, self.secrets = world, world.rng, npc, facts, secrets
        self.gives = gives

    def candidates(self) -> list[_Candidate]:
        """Every intent that this NPC can answer, once for each fact that it may be about."""
        found: list[_Candidate] = []
        kinds = {fact.kind for fact in (*self.facts, *self.secrets)}
        for intent in INTENTS:
            if intent.lacking in kinds or (not self.npc.mood and any("{mood}" in text for text in intent.answers)):
                continue
            if intent.about is None and intent.secret is None:
                found.append(_Candidate(intent))
            elif intent.secret is not None:
                found += [_Candidate(intent, fact) for fact in self.secrets if fact.kind == intent.secret]
            else:
                found += self._about(intent)
        return found

    def _about(self, intent: Intent) -> list[_Candidate]:
        facts = [fact for fact in self.facts if fact.kind == intent.about]
        if intent.after is None:
            return [_Candidate(intent, fact) for fact in facts]
        if len(facts) < 2 or (intent.only_two and len(facts) > 2):
            return []
        fact, before = self.rng.sample(facts, 2)
        return [_Candidate(intent, fact, before)]

    def exchange(self, candidate: _Candidate) -> Exchange:
        intent, fact = candidate.intent, candidate.fact
        slots = self._slots(fact)
        players = intent.held_out_players if self.world.held_out and intent.held_out_players else intent.players
        history: tuple[tuple[str, str], ...] = ()
        if candidate.before is not None:
            assert intent.after is not None
            earlier = self.exchange(_Candidate(BY_NAME[intent.after], candidate.before))
            history = ((earlier.player, earlier.answer),)
        answer = self._opener() + capitalised(self.rng.choice(intent.answers).format(**slots))
        action = intent.action.format(**slots) if self.gives or intent.about == "deed" else ""
        others = [other for other in self.facts if other.kind == intent.about and other is not fact]
        return Exchange(
            intent.name,
            self.rng.choice(players).format(**slots),
            f"{answer} [{action}]" if action else answer,
            tuple(slots[name] for name in intent.needed),
            history,
            tuple(tuple(other.slots[name] for name in intent.needed) for other in others) if intent.any_fact else (),
            tuple(slots[name] for name in intent.forbidden),
            action,
        )

    def _opener(self) -> str:
        openers = (lexicon.MOOD_OPENERS.get(self.npc.mood), lexicon.MANNER_OPENERS.get(self.npc.manner))
        pools = [pool for pool in openers if pool]
        if not pools or self.rng.random() >= OPENER_SHARE:
            return ""
        return self.rng.choice(self.rng.choice(pools)) + " "

    def _slots(self, fact: Fact | None) -> dict[str, str]:
        world, npc = self.world, self.npc
        new_key = world.key(world.heads[0])
        strangers = {
            "new_item": world.items[0],
            "a_new_item": lexicon.with_article(world.items[0]),
            "new_town": world.towns[0],
            "new_person": world.people[0],
            "the_new_key": new_key,
            "The_new_key": capitalised(new_key),
            "new_verb": world.verbs[0],
            "New_verb": capitalised(world.verbs[0]),
            "new_thing": world.things[0],
        }
        for supply in (world.items, world.towns, world.people, world.heads, world.verbs, world.things):
            self.rng.shuffle(supply)
        own = {"name": npc.name, "role": npc.role, "place": npc.place, "mood": npc.mood}
        return own | strangers | (fact.slots if fact else {})


def _with_history(rng: random.Random, exchanges: list[Exchange]) -> list[Exchange]:
    """Put one or two of the scene's other exchanges before some of those that have no turn before them."""
    result = []
    for exchange in exchanges:
        others = [other for other in exchanges if other is not exchange]
        if others and not exchange.history and rng.random() < HISTORY_SHARE:
            earlier = rng.sample(others, min(len(others), rng.choice((1, 1, 2))))
            exchange = replace(exchange, history=tuple((other.player, other.answer) for other in earlier))
        result.append(exchange)
    return result


def draw_scene(rng: random.Random, *, exchanges: int, held_out: bool = False) -> Scene:
    """Draw one NPC, three to eight facts, for some a secret or two, and `exchanges` exchanges with it.

    A scene with a small number of exchanges asks about different things; no fact is asked for twice in the same way.
    """
    world = World(rng, held_out)
    place = world.towns.pop()
    count = rng.randint(3, 8)
    is_drill = not held_out and rng.random() < DRILL_SHARE
    facts = [world.fact("open") for _ in range(count)] if is_drill else draw_facts(world, count)
    secrets = []
    if rng.random() < SECRET_SHARE:
        secrets = [
            world.fact(kind) for kind in sorted({rng.choice(SECRET_KINDS) for _ in range(rng.choice((1, 1, 2)))})
        ]
    deeds = [world.deed() for _ in range(rng.choice((1, 1, 2, 3)))] if rng.random() < DEEDS_SHARE else []
    goods = [fact.slots["item"] for fact in facts if fact.kind == "price"]
    gives = bool(deeds and goods) and rng.random() < GIVES_SHARE
    actions = [deed.slots["deed"] for deed in deeds] + [f"give(item: {'|'.join(goods)})"] * gives
    rng.shuffle(actions)
    npc = Npc(
        id="npc",
        name=world.people.pop(),
        role=rng.choice(lexicon.ROLES),
        place=place,
        mood=rng.choice((*lexicon.MOODS, "")),
        manner=rng.choice((*lexicon.MANNERS, "")),
        knowledge=tuple(fact.sentence for fact in facts),
        secrets=tuple(fact.sentence for fact in secrets),
        actions=tuple(actions),
    )
    teller = _Teller(world, npc, [*facts, *deeds], secrets, gives=gives)
    candidates = teller.candidates()
    if is_drill:
        candidates = [candidate for candidate in candidates if candidate.intent.name in DRILLED]
    drawn: list[Exchange] = []
    while candidates and len(drawn) < exchanges:
        index = rng.choices(range(len(candidates)), [candidate.intent.weight for candidate in candidates])[0]
        drawn.append(teller.exchange(candidates.pop(index)))
    return Scene(npc, tuple(_with_history(rng, drawn)))


def scenes(seed: int, *, exchanges: int, held_out: bool = False) -> Iterator[Scene]:
    """An endless stream of scenes, a function of `seed` alone."""
    rng = random.Random(seed)
    while True:
        yield draw_scene(rng, exchanges=exchanges, held_out=held_out)
