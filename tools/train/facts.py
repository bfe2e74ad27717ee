"""Facts an NPC may know: the sentence in the prompt, and the slots that its answers are made from."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.train import lexicon
from tools.train.names import distinct_names, is_held_out


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing an NPC knows: `sentence` goes into the prompt, `slots` into the answers."""

    kind: str
    sentence: str
    slots: dict[str, str]


SENTENCES = {
    "price": "The {item} costs {gold} gold.",
    "direction": "{town} lies to the {way}.",
    "whereabouts": "{person} is at the {spot}.",
    "sighting": "{Foes} were seen near {town}.",
    "bounty": "{person} pays {gold} gold for {task}.",
    "ruler": "{person} rules {town}.",
    "owner": "{person} owns the {spot}.",
    "hours": "The {spot} opens at {hour}.",
    "weather": "The sky promises {weather}.",
    "kin": "{person} is your {kin}.",
    "loss": "{person} lost {an_item}.",
    "event": "The {feast} is in {days} days.",
    "distrust": "You do not trust {person}.",
}

# How often each kind is drawn; prices and places are what players ask for most.
_WEIGHTS = {"price": 5, "direction": 3, "whereabouts": 3, "sighting": 2, "bounty": 2}


def draw_items(rng: random.Random, count: int, *, held_out: bool) -> list[str]:
    """Distinct goods: half of them from the fixed list, half put together and split like names."""
    items: list[str] = []
    while len(items) < count:
        item = rng.choice(lexicon.ITEMS)
        if rng.random() < 0.5:
            item = f"{rng.choice(lexicon.QUALITIES)} {rng.choice(lexicon.GOODS)}"
            if is_held_out(item) != held_out:
                continue
        if item not in items:
            items.append(item)
    return items


@dataclass(slots=True)
class World:
    """Supplies of distinct names and nouns for one scene, so that every fact in it is about something else."""

    rng: random.Random
    held_out: bool
    people: list[str] = field(init=False)
    towns: list[str] = field(init=False)
    items: list[str] = field(init=False)
    spots: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.people, self.towns = distinct_names(self.rng, people=11, towns=8, held_out=self.held_out)
        self.items = draw_items(self.rng, 12, held_out=self.held_out)
        self.spots = self.rng.sample(lexicon.SPOTS, 10)

    def gold(self) -> str:
        """A price; multiples of five are as common as in any shop, but every number up to 200 occurs."""
        return str(self.rng.choice((self.rng.randint(2, 200), 5 * self.rng.randint(1, 20))))

    def fact(self, kind: str) -> Fact:
        """Make a fact of `kind` out of names and nouns that no other fact of this scene uses."""
        rng = self.rng
        template = SENTENCES[kind]
        foes, item = rng.choice(lexicon.FOES), self.items[-1]
        makers: dict[str, Callable[[], str]] = {
            "item": lambda: self.items.pop(),
            "an_item": lambda: lexicon.with_article(self.items.pop()),
            "gold": self.gold,
            "town": lambda: self.towns.pop(),
            "way": lambda: rng.choice(lexicon.WAYS),
            "person": lambda: self.people.pop(),
            "spot": lambda: self.spots.pop(),
            "Foes": lambda: foes.capitalize(),
            "task": lambda: rng.choice(lexicon.TASKS),
            "hour": lambda: rng.choice(lexicon.HOURS),
            "weather": lambda: rng.choice(lexicon.WEATHER),
            "kin": lambda: rng.choice(lexicon.KIN),
            "feast": lambda: rng.choice(lexicon.FEASTS),
            "days": lambda: str(rng.randint(2, 30)),
        }
        slots = {name: make() for name, make in makers.items() if "{" + name + "}" in template}
        sentence = template.format(**slots)
        if "Foes" in slots:
            slots["foes"] = foes
        if "an_item" in slots:
            slots["item"] = item
        return Fact(kind, sentence, slots)


def draw_facts(world: World, count: int) -> list[Fact]:
    """Draw `count` facts: prices, towns and people may come several times, every other kind once."""
    pool = [kind for kind in SENTENCES for _ in range(_WEIGHTS.get(kind, 1))]
    facts: list[Fact] = []
    often = {"price": 3, "direction": 2, "whereabouts": 2}
    while len(facts) < count:
        kind = world.rng.choice(pool)
        if sum(fact.kind == kind for fact in facts) < often.get(kind, 1):
            facts.append(world.fact(kind))
    return facts
