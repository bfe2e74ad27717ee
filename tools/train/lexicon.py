"""Words of the tavern world that the corpus is made of. Everything here is vocabulary; names come from `names.py`."""


def listed(text: str) -> tuple[str, ...]:
    """The parts of a text that commas separate."""
    return tuple(" ".join(part.split()) for part in text.split(","))


ROLES = listed("""
    blacksmith, innkeeper, guard, merchant, healer, farmer, scholar, thief, fisher, priest, hunter, miller,
    sailor, baker, beggar, knight
    """)

MOODS = listed("""
    calm, angry, afraid, happy, tired, sad
    """)

MANNERS = listed("""
    gruff, cheerful, gentle, plain, formal, sly
    """)

ITEMS = listed("""
    iron sword, healing potion, oak shield, silver ring, pair of boots, steel dagger, torch, coil of rope, wool
    cloak, longbow, lockpick, map, spell scroll, lantern, hunting knife, suit of chainmail, fur hat, iron helm, amulet,
    honey cake, loaf of bread, bowl of stew, mug of ale, room for the night, fishing net, bag of flour, bundle
    of herbs, bronze key, horse, mule, quiver of arrows, war axe, salted fish, wheel of cheese, jug of milk,
    pair of gloves, tent, drum, mirror, whetstone
    """)

# Put together, these two make thousands of goods: a model that has met them must read the prompt for the next one.
QUALITIES = listed("""
    old, rusty, golden, carved, painted, heavy, small, broken, blue, red, black, white, green, mutton, pumpkin, apple,
    copper, leather, wooden, stone, velvet, linen, smoked, sweet, bitter, holy, cursed, travel, gate, winter, royal,
    goblin, elven, dwarven, hunter's, sailor's, magic, warm, fine, cheap
    """)
GOODS = listed("""
    stew, pie, pass, bed, cup, bowl, plate, spoon, kettle, axe, hammer, saw, shovel, pick, spear, sword, shield, helmet,
    belt, hood, coat, shirt, scarf, blanket, pillow, candle, bell, horn, flute, drum, book, letter, seal, ticket, charm,
    potion, salve, soap, comb, brush, needle, basket, barrel, crate, sack, saddle, bridle, cart, wheel, boat, oar, sail,
    anchor, compass, hook, trap, arrow, bow, dagger, ring, crown, mask, doll, chair, stool, table, rug, chest,
    lock, cheese
    """)

SPOTS = listed("""
    mill, old well, market, chapel, harbor, north gate, smithy, tavern, stable, bridge, watchtower, bakery,
    graveyard, town hall, library, docks, barracks, garden, bathhouse, quarry, inn, temple, tower, prison, cellar,
    fountain, crossroads, campfire, lighthouse, ferry, vineyard, cave, palace, arena, theater, school
    """)

FOES = listed("""
    wolves, bandits, goblins, trolls, ghosts, spiders, pirates, cultists, bears, giant rats, raiders, harpies,
    skeletons, wild boars
    """)

TASKS = listed("""
    wolf pelts, iron ore, lost letters, rare herbs, clean water, firewood, old coins, black feathers, spider
    silk, a stolen horse, news from the border, bear claws, river pearls, dragon scales, fresh fish, grain,
    goblin ears, lamp oil,
    sheep wool, red mushrooms, a rare book, good timber, silver ore, honey, a lost dog, snake venom
    """)

WAYS = listed("""
    north, south, east, west
    """)

HOURS = listed("""
    dawn, noon, dusk, midnight, sunrise, sunset
    """)

WEATHER = listed("""
    rain, snow, fog, a storm, frost, clear skies, strong wind, hail
    """)

KIN = listed("""
    brother, sister, mother, father, cousin, uncle, aunt, daughter, son, old friend
    """)

FEASTS = listed("""
    harvest fair, spring feast, winter market, horse race, masked ball, archery contest, wine festival
    """)

MOOD_OPENERS = {
    "calm": ("Well met.", "Good day.", "Aye.", "Let me think."),
    "angry": ("What now?", "Bah.", "Watch yourself.", "Make it quick."),
    "afraid": ("Keep your voice down.", "Did you hear that?", "Please, not so loud.", "Is someone behind you?"),
    "happy": ("Ha!", "What a fine day!", "Good to see you!", "You came at the right time!"),
    "tired": ("Long day.", "I could sleep for a week.", "Forgive me, I am weary.", "My eyes are heavy."),
    "sad": ("Ah, well.", "These are hard times.", "Forgive my long face.", "Nothing is as it was."),
}

MANNER_OPENERS = {
    "gruff": ("Hm.", "Listen.", "Out with it."),
    "cheerful": ("Hello, my friend!", "Oh, with pleasure!", "Come closer!"),
    "gentle": ("Dear traveler.", "Do not worry.", "Be at ease."),
    "plain": ("Sure.", "Right.", "Simple enough."),
    "formal": ("At your service.", "If it please you.", "I am honored."),
    "sly": ("Psst.", "Between you and me.", "For a friend, yes."),
}


def with_article(noun: str) -> str:
    """`noun` behind "a" or "an"; nouns that carry no article of their own only."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
