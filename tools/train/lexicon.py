"""Words of the tavern world that the corpus is made of. Everything here is vocabulary; names come from `names.py`."""


def listed(text: str) -> tuple[str, ...]:
    """The parts of a text that commas separate."""
    return tuple(" ".join(part.split()) for part in text.split(","))


ROLES = listed("""
    blacksmith, innkeeper, guard, merchant, healer, farmer, scholar, thief, fisher, priest, hunter, miller,
    sailor, baker, beggar, knight, carpenter, tailor, cook, smith, shepherd, monk, witch, wizard, soldier, captain,
    clerk, jeweler, potter, weaver, brewer, butcher, gravedigger, messenger, minstrel, herbalist, tanner, judge
    """)

MOODS = listed("""
    calm, angry, afraid, happy, tired, sad, bored, proud, worried, hopeful
    """)

MANNERS = listed("""
    gruff, cheerful, gentle, plain, formal, sly, dreamy, strict, boastful, pious
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

STOCK = listed("""
    arrows, torches, candles, loaves, blankets, eggs, horses, barrels, nails, apples, bandages, buckets, ropes, shirts,
    beds, chairs, potions, maps, keys, fish, goats, hens, lanterns, sacks, bolts, axes, boots, cakes, cups, rugs
    """)

TROUBLES = listed("""
    a fire, a flood, the plague, rats, a murder, repairs, a holiday, the storm, a ghost, missing workers, a broken
    roof, a collapsed wall, bad air, a wedding, an inspection, stolen keys, snakes, a curse
    """)

TREASURES = listed("""
    a golden crown, a chest of silver, a dragon egg, the lost sword, a magic ring, the old king's seal, a jeweled cup,
    a pirate's gold, a holy relic, the black pearl, a silver bell, a book of spells
    """)

# An owner and a head make the key of an open fact: "tonight's supper", "the captain's horse", "the password".
KEY_OWNERS = listed("""
    the, the, the, tonight's, today's, this week's, the captain's, the king's, the queen's, the guild's, the mayor's,
    the miller's, the priest's, the baker's, the widow's, the hunter's, the duke's, the village, the winter, the
    summer, the morning, the evening, the secret, the old, the new, the next, the last
    """)
KEY_HEADS = listed("""
    supper, breakfast, dinner, special, dessert, soup, wine, beer, song, dance, password, prize, horse, dog, cat, ship,
    boat, color, flag, banner, motto, number, guest, toast, game, story, sermon, duty, order, tax, fee, fine, gift,
    spell, potion, key, map, route, plan, target, nickname, weapon, cure, poison, weakness, hideout, meeting place,
    signal, sign, bet, winner, enemy, partner, teacher, birthday, hobby, riddle, answer, curse, crop, harvest, cargo,
    freight, tool, bait, perfume, dress, hat, gem, book, play, hymn, drink, cake, trick, crime, clue, witness, suspect,
    verdict, message, rumor, code word, shortcut, landmark, river, mountain, star, festival, costume, ritual, treaty,
    law, toll, quest, mission, rival, heir, bride, groom, doctor, tutor, driver, cook, watchword, stake, ration
    """)
# Put together, these two make what an NPC may be asked to do: "ring the bell", ring_bell().
VERBS = listed("""
    open, close, lock, light, ring, fetch, clean, raise, lower, guard, paint, repair, burn, hide, move, draw, search,
    watch, feed, sharpen, load, empty, break, bless, bury, carry, follow, heal, warn, wake
    """)
THINGS = listed("""
    gate, door, bell, fire, flag, bridge, lamp, horse, cart, boat, map, chest, wall, well, drum, sword, dog, tower,
    captain, stable, oven, barrel, statue, prisoner, window, curtain, book, king, road, table, roof
    """)
COLORS = listed("""
    red, blue, green, yellow, black, white, grey, brown, purple, orange, silver, gold, pink, dark blue, pale green
    """)
FOOD_KINDS = listed("""
    eel, trout, mutton, beef, pork, rabbit, goose, duck, pumpkin, turnip, onion, cabbage, leek, bean, lentil, barley,
    mushroom, apple, pear, plum, cherry, honey, nut, cheese, egg, crab, oyster, venison, boar, pigeon
    """)
DISHES = listed("""
    stew, soup, pie, roast, bread, cake, pudding, porridge, sausage, broth, salad, tart, dumplings, pancakes, stuffing
    """)

WHERES = ("under", "behind", "near", "at", "in")

FEASTS = listed("""
    harvest fair, spring feast, winter market, horse race, masked ball, archery contest, wine festival
    """)

MOOD_OPENERS = {
    "calm": ("Well met.", "Good day.", "Aye.", "Let me think."),
    "angry": ("What now?", "Bah.", "Watch yourself.", "Make it quick."),
    "afraid": ("Keep your voice down.", "Did you hear that?", "Please, not so loud.", "Is someone behind you?"),
    "happy": ("Ha!", "What a fine day!", "Good to see you!", "You came at the right time!"),
    "tired": ("Long day.", "I could sleep for a week.", "Forgive me, I am weary.", "My eyes are heavy."),
    "bored": ("Oh, a visitor.", "Go on, then.", "Anything is better than silence.", "Finally, someone to talk to."),
    "proud": ("You came to the right one.", "Naturally.", "As everyone knows.", "Look no further."),
    "worried": ("I hope it is nothing bad.", "Oh dear.", "Be careful.", "These days one never knows."),
    "hopeful": ("It will turn out well.", "Things are looking up.", "Maybe you can help.", "Better days will come."),
    "sad": ("Ah, well.", "These are hard times.", "Forgive my long face.", "Nothing is as it was."),
}

MANNER_OPENERS = {
    "gruff": ("Hm.", "Listen.", "Out with it."),
    "cheerful": ("Hello, my friend!", "Oh, with pleasure!", "Come closer!"),
    "gentle": ("Dear traveler.", "Do not worry.", "Be at ease."),
    "plain": ("Sure.", "Right.", "Simple enough."),
    "formal": ("At your service.", "If it please you.", "I am honored."),
    "dreamy": ("Where was I?", "Like in a dream.", "Listen to the wind."),
    "strict": ("Stand straight.", "One question at a time.", "Pay attention."),
    "boastful": ("Nobody knows it better.", "I will tell you.", "Lucky for you that you met me."),
    "pious": ("Bless you.", "By the light.", "Peace be with you."),
    "sly": ("Psst.", "Between you and me.", "For a friend, yes."),
}


def with_article(noun: str) -> str:
    """`noun` behind "a" or "an"; nouns that carry no article of their own only."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def vocabulary() -> list[str]:
    """Everything that stands in the tables of this file."""
    tables = (
        *(ROLES, MOODS, MANNERS, ITEMS, QUALITIES, GOODS, SPOTS, FOES, TASKS, WAYS, HOURS, WEATHER, KIN, FEASTS),
        *(STOCK, TROUBLES, TREASURES, KEY_OWNERS, KEY_HEADS, VERBS, THINGS, WHERES, COLORS, FOOD_KINDS, DISHES),
        *MOOD_OPENERS.values(),
        *MANNER_OPENERS.values(),
    )
    return [text for table in tables for text in table]
