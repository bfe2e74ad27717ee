"""Facts an NPC may know: the sentence in the prompt, and the slots that its answers are made from."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.train import lexicon
from tools.train.keys import draw_heads, owned
from tools.train.names import distinct_names, is_held_out, word
from tools.train.nouns import draw_feast, draw_foes, draw_spots, draw_task, draw_work


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing an NPC knows: `sentence` goes into the prompt, `slots` into the answers."""

    kind: str
    sentence: str
    slots: dict[str, str]


SENTENCES = {
    "price": (
        "The {item} costs {gold} gold.",
        "You sell the {item} for {gold} gold.",
        "Price of the {item}: {gold} gold.",
    ),
    "direction": ("{town} lies to the {way}.", "The road {way} leads to {town}.", "{town} is {way} of here."),
    "whereabouts": (
        "{person} is at the {spot}.",
        "{person} works at the {spot}.",
        "You can find {person} at the {spot}.",
    ),
    "sighting": ("{Foes} were seen near {town}.", "There are {foes} near {town}."),
    "bounty": ("{person} pays {gold} gold for {task}.", "{person} needs {task} and offers {gold} gold."),
    "ruler": ("{person} rules {town}.", "{town} is ruled by {person}."),
    "owner": ("{person} owns the {spot}.", "The {spot} belongs to {person}."),
    "hours": ("The {spot} opens at {hour}.",),
    "weather": ("The sky promises {weather}.", "Weather: {weather}."),
    "kin": ("{person} is your {kin}.",),
    "loss": ("{person} lost {an_item}.", "{person} is looking for {an_item}."),
    "event": ("The {feast} is in {days} days.",),
    "distrust": ("You do not trust {person}.", "{person} is your enemy."),
    "stock": ("You have {count} {goods} left.", "There are {count} {goods} left."),
    "closed": ("The {spot} is closed because of {trouble}.",),
    "curfew": ("No one may enter the {spot} after {hour}.",),
    "legend": ("They say {treasure} is hidden in the {spot}.", "{Treasure} is hidden in the {spot}."),
    "arrival": ("{person} arrives in {days} days.",),
    "trade": ("{person} is a {work}.", "{person} works as a {work}."),
    "open": ("{The_key}: {value}.", "{The_key} is {value}.", "{The_key}: {value}"),
}

# How often each kind is drawn; prices and places are what players ask for most, and what a game makes up is endless.
_WEIGHTS = {"price": 5, "direction": 3, "whereabouts": 4, "sighting": 2, "bounty": 3, "ruler": 2, "owner": 2, "open": 8}
_OFTEN = {"price": 3, "direction": 2, "whereabouts": 2, "open": 4}
SECRET_KINDS = ("whereabouts", "ruler", "open", "open", "loss")


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


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(slots=True)
class World:
    """Supplies of distinct names and nouns for one scene, so that every fact in it is about something else."""

    rng: random.Random
    held_out: bool
    people: list[str] = field(init=False)
    towns: list[str] = field(init=False)
    items: list[str] = field(init=False)
    spots: list[str] = field(init=False)
    heads: list[str] = field(init=False)
    verbs: list[str] = field(init=False)
    things: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.people, self.towns = distinct_names(self.rng, people=18, towns=10, held_out=self.held_out)
        self.items = draw_items(self.rng, 14, held_out=self.held_out)
        self.spots = draw_spots(self.rng, 16, held_out=self.held_out)
        self.heads = draw_heads(self.rng, 9 if self.held_out else 12, held_out=self.held_out)
        self.verbs, self.things = self.rng.sample(lexicon.VERBS, 8), self.rng.sample(lexicon.THINGS, 8)

    def gold(self) -> str:
        """A price; multiples of five are as common as in any shop, but every number up to 999 occurs."""
        rng = self.rng
        return str(rng.choice((rng.randint(2, 200), 5 * rng.randint(1, 20), rng.randint(2, 60), rng.randint(100, 999))))

    def key(self, head: str) -> str:
        """The key of an open fact, as it stands inside a sentence."""
        return owned(self.rng, head, held_out=self.held_out)

    def value(self) -> str:
        """What an open fact says: a dish, a name, a number, a thing, a place, a word."""
        rng = self.rng
        return rng.choice(
            (
                lambda: f"{rng.choice(lexicon.FOOD_KINDS)} {rng.choice(lexicon.DISHES)}",
                lambda: " and ".join(rng.sample(lexicon.FOOD_KINDS, 2)) + f" {rng.choice(lexicon.DISHES)}",
                self.people.pop,
                self.towns.pop,
                self.gold,
                lambda: rng.choice(lexicon.COLORS),
                lambda: lexicon.with_article(f"{rng.choice(lexicon.QUALITIES)} {rng.choice(lexicon.GOODS)}"),
                lambda: f"{rng.choice(lexicon.WHERES)} the {rng.choice(lexicon.SPOTS)}",
                lambda: word(rng, held_out=self.held_out),
                lambda: f"{word(rng, held_out=self.held_out)} {word(rng, held_out=self.held_out)}",
                lambda: f"{rng.choice(lexicon.QUALITIES)} {word(rng, held_out=self.held_out)}",
            )
        )()

    def deed(self) -> Fact:
        """Something to do: not in the prompt as a sentence, but as an action that is declared."""
        verb, thing = self.verbs.pop(), self.things.pop()
        slots = {"verb": verb, "Verb": capitalised(verb), "thing": thing, "deed": f"{verb}_{thing}()"}
        return Fact("deed", "", slots)

    def fact(self, kind: str) -> Fact:
        """Make a fact of `kind` out of names and nouns that no other fact of this scene uses."""
        rng = self.rng
        template = rng.choice(SENTENCES[kind])
        wanted = " ".join(SENTENCES[kind])
        makers: dict[str, Callable[[], str]] = {
            "item": self.items.pop,
            "an_item": lambda: lexicon.with_article(self.items.pop()),
            "gold": self.gold,
            "town": self.towns.pop,
            "way": lambda: rng.choice(lexicon.WAYS),
            "person": self.people.pop,
            "spot": self.spots.pop,
            "foes": lambda: draw_foes(rng, held_out=self.held_out),
            "task": lambda: draw_task(rng, held_out=self.held_out),
            "hour": lambda: rng.choice(lexicon.HOURS),
            "weather": lambda: rng.choice(lexicon.WEATHER),
            "kin": lambda: rng.choice(lexicon.KIN),
            "feast": lambda: draw_feast(rng, held_out=self.held_out),
            "days": lambda: str(rng.randint(2, 30)),
            "goods": lambda: rng.choice(lexicon.STOCK),
            "count": lambda: str(rng.randint(2, 99)),
            "trouble": lambda: rng.choice(lexicon.TROUBLES),
            "treasure": lambda: rng.choice(lexicon.TREASURES),
            "work": lambda: draw_work(rng, held_out=self.held_out),
            "head": self.heads.pop,
            "value": self.value,
        }
        wanted = wanted.replace("{The_key}", "{head}")
        slots = {name: make() for name, make in makers.items() if "{" + name + "}" in wanted}
        if "an_item" in slots:
            slots["item"] = slots["an_item"].partition(" ")[2]
        if "head" in slots:
            slots["the_key"] = self.key(slots["head"])
        if "gold" in slots:
            slots["offer"] = str(max(1, int(slots["gold"]) * rng.randint(20, 90) // 100))
        slots |= {capitalised(name): capitalised(value) for name, value in slots.items() if name != "item"}
        return Fact(kind, template.format(**slots), slots)


def draw_facts(world: World, count: int) -> list[Fact]:
    """Draw `count` facts: prices, towns, people and open facts may come several times, every other kind once."""
    pool = [kind for kind in SENTENCES for _ in range(_WEIGHTS.get(kind, 1))]
    facts: list[Fact] = []
    while len(facts) < count:
        kind = world.rng.choice(pool)
        if sum(fact.kind == kind for fact in facts) < _OFTEN.get(kind, 1):
            facts.append(world.fact(kind))
    return facts
