"""What players say, and what NPCs answer: a table of intents.

An intent either asks for a fact (`about` names its kind), or says that there is none of that kind (`lacking`), or needs
no fact at all. `needed` lists the slots whose values the answer
must contain: they are what `tools.eval` looks for. Templates use the slots of the fact, the NPC's own `name`, `role`
and `place`, and, for things that the NPC does not know, `new_item`, `new_town` and `new_person`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of thing a player says, with the answers that fit it."""

    name: str
    about: str | None
    players: tuple[str, ...]
    answers: tuple[str, ...]
    needed: tuple[str, ...] = ()
    weight: float = 1.0
    lacking: str | None = None


def _lines(block: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in block.strip().splitlines())


def _intent(name: str, about: str | None, needed: str, players: str, answers: str, weight: float = 1.0) -> Intent:
    return Intent(name, about, _lines(players), _lines(answers), tuple(needed.split()), weight)


def _nothing(name: str, lacking: str, like: Intent, answers: str) -> Intent:
    """The answer to the same player lines when the NPC has no fact of that kind."""
    return Intent(name, None, like.players, _lines(answers), weight=0.7, lacking=lacking)


_FACTUAL: tuple[Intent, ...] = (
    _intent("greet", None, "", """
        Hello.
        Hi there.
        Good day to you.
        Greetings.
        Hello, {role}.
        """, """
        Welcome to {place}.
        I am {name}. What brings you to {place}?
        You are new in {place}, are you not?
        Not many strangers come to {place} these days.
        What can I do for you?
        """),
    _intent("farewell", None, "", """
        Goodbye.
        Farewell.
        I must go.
        See you later.
        """, """
        Safe travels.
        May the road out of {place} be kind to you.
        Farewell, and mind the dark.
        Come back soon.
        """, 0.6),
    _intent("thanks", None, "", """
        Thank you.
        Thanks for your help.
        I owe you one.
        You are very kind.
        """, """
        Think nothing of it.
        You are welcome, traveler.
        Any friend of {place} is a friend of mine.
        It was the least I could do.
        """, 0.6),
    _intent("insult", None, "", """
        You are a fool.
        You smell terrible.
        I do not like you.
        Get out of my way.
        """, """
        Mind your tongue, stranger.
        I have heard worse from better people.
        Say that again and you will leave {place}.
        You should be ashamed.
        """, 0.5),
    _intent("compliment", None, "", """
        You are the best {role} I know.
        You look well today.
        I admire your work.
        Everyone speaks well of you.
        """, """
        Kind words are rare in {place}.
        You flatter me, stranger.
        I only do my work.
        Then tell your friends about {name}.
        """, 0.5),
    _intent("feeling", None, "", """
        How are you?
        How do you feel?
        How is life?
        Are you well?
        """, """
        I am {mood}, if you must know.
        A little {mood} today.
        As {mood} as one can be in {place}.
        They say I look {mood}. They are right.
        """, 0.8),
    _intent("name", None, "name", """
        Who are you?
        What is your name?
        What do they call you?
        May I ask your name?
        I did not catch your name.
        """, """
        My name is {name}.
        They call me {name}, {role} of {place}.
        {name}. Every soul in {place} knows me.
        I am {name}.
        """),
    _intent("role", None, "role", """
        What do you do?
        What is your work?
        What is your trade?
        How do you earn your bread?
        """, """
        I am the {role} of {place}.
        I am a {role}, as you can see.
        I have been the {role} here all my life.
        Ask anyone. I am the {role}.
        """),
    _intent("place", None, "place", """
        Where am I?
        What is this place?
        What town is this?
        What is this town called?
        """, """
        This is {place}.
        You are in {place}, traveler.
        You stand in {place}.
        {place}, of course.
        """),
    _intent("sell", "price", "item", """
        What do you sell?
        Do you have anything for sale?
        Show me your goods.
        What can I buy here?
        """, """
        I can sell you the {item} for {gold} gold.
        The {item} is for sale. {gold} gold.
        There is the {item}, if you have {gold} gold.
        Have a look at the {item}. It costs {gold} gold.
        """, 1.5),
    _intent("price", "price", "gold", """
        How much is the {item}?
        How much for the {item}?
        What does the {item} cost?
        I want to buy the {item}.
        Tell me the price of the {item}.
        What do you ask for the {item}?
        """, """
        The {item} is {gold} gold.
        That will be {gold} gold.
        {gold} gold, and the {item} is yours.
        For {gold} gold the {item} is yours.
        The {item} costs {gold} gold, not a coin less.
        """, 2.5),
    _intent("haggle", "price", "gold", """
        Can I have the {item} for less?
        The {item} is too expensive.
        Give me a better price for the {item}.
        I can not pay that much for the {item}.
        """, """
        {gold} gold, not a coin less.
        No. The {item} is worth {gold} gold.
        I never go below {gold} gold for the {item}.
        The price of the {item} is {gold} gold.
        """),
    _intent("direction", "direction", "way", """
        Where is {town}?
        How do I get to {town}?
        Which way to {town}?
        I am looking for the road to {town}.
        Do you know the way to {town}?
        Is {town} far from here?
        """, """
        {town} lies to the {way}.
        Head {way} and you will reach {town}.
        Take the {way} road. {town} is a day away.
        Go {way} until you see {town}.
        """, 2.0),
    _intent("whereabouts", "whereabouts", "spot", """
        Do you know {person}?
        Where can I find {person}?
        Have you seen {person}?
        I am looking for {person}.
        Where is {person}?
        I have a letter for {person}.
        """, """
        {person}? Try the {spot}.
        You will find {person} at the {spot}.
        Look for {person} at the {spot}.
        {person} is at the {spot}.
        I saw {person} at the {spot}.
        """, 2.0),
    _intent("who_is_there", "whereabouts", "person", """
        Who is at the {spot}?
        Whom will I meet at the {spot}?
        Is anyone at the {spot}?
        """, """
        {person} is at the {spot}.
        You will meet {person} at the {spot}.
        Only {person} is there.
        """),
    _intent("danger", "sighting", "foes town", """
        Is it safe here?
        Any trouble lately?
        Are the roads safe?
        What should I be afraid of?
        Have you heard of any danger?
        """, """
        {Foes} were seen near {town}.
        Beware of {foes} near {town}.
        Stay away from {town}. There are {foes}.
        We lost two men to {foes} near {town}.
        """, 1.3),
    _intent("foes_where", "sighting", "town", """
        Where are the {foes}?
        I hunt {foes}. Where should I look?
        Have you seen any {foes}?
        """, """
        The {foes} are near {town}.
        Look for the {foes} near {town}.
        Near {town}, they say.
        """),
    _intent("job", "bounty", "person task", """
        Do you have any work?
        Any jobs for me?
        I am looking for work.
        How can I earn some gold?
        Who needs help around here?
        """, """
        {person} pays {gold} gold for {task}.
        Bring {task} to {person}. There are {gold} gold for you.
        Ask {person}, who needs {task}.
        {person} is looking for {task}, and pays {gold} gold.
        """, 1.3),
    _intent("reward", "bounty", "gold", """
        How much does {person} pay?
        What is the reward for {task}?
        What do I get for {task}?
        """, """
        {person} pays {gold} gold.
        {gold} gold, if you bring {task}.
        For {task} you get {gold} gold.
        """),
    _intent("ruler", "ruler", "person", """
        Who rules {town}?
        Who is in charge of {town}?
        Who gives the orders in {town}?
        """, """
        {person} rules {town}.
        {town} belongs to {person}.
        In {town} everyone obeys {person}.
        """),
    _intent("owner", "owner", "person", """
        Who owns the {spot}?
        Whose {spot} is it?
        To whom does the {spot} belong?
        """, """
        The {spot} belongs to {person}.
        {person} owns the {spot}.
        That would be {person}.
        """),
    _intent("hours", "hours", "hour", """
        When does the {spot} open?
        Is the {spot} open now?
        When can I visit the {spot}?
        """, """
        The {spot} opens at {hour}.
        Come back at {hour}.
        At {hour}, like every day.
        """),
    _intent("weather", "weather", "weather", """
        How is the weather?
        What will the weather be like?
        Should I take a cloak with me?
        What does the sky say?
        """, """
        There will be {weather}.
        The sky promises {weather}.
        I expect {weather} before night.
        """),
    _intent("kin", "kin", "kin", """
        Who is {person}?
        What is {person} to you?
        How do you know {person}?
        """, """
        {person} is my {kin}.
        My {kin}, and I am proud of it.
        {person}? That is my {kin}.
        """),
    _intent("loss", "loss", "person item", """
        Has anyone lost something?
        Who is missing something?
        Is anything missing in town?
        """, """
        {person} lost {an_item}.
        {person} is still looking for {an_item}.
        If you find {an_item}, it belongs to {person}.
        """),
    _intent("found", "loss", "person", """
        I found {an_item}.
        Whose {item} is this?
        Did someone lose {an_item}?
        """, """
        That must be the {item} of {person}.
        {person} lost {an_item}. Take it there.
        Give it to {person}.
        """),
    _intent("event", "event", "days", """
        When is the {feast}?
        How long until the {feast}?
        Do I have time before the {feast}?
        """, """
        The {feast} is in {days} days.
        In {days} days.
        You have {days} days before the {feast}.
        """),
    _intent("celebration", "event", "feast", """
        Is there anything to celebrate?
        What are people waiting for?
        What happens here soon?
        """, """
        The {feast} is in {days} days.
        Everyone is waiting for the {feast}.
        In {days} days we hold the {feast}.
        """, 0.7),
    _intent("trust", "distrust", "person", """
        Whom should I avoid?
        Is there anyone you do not like?
        Who is your enemy?
        """, """
        I do not trust {person}.
        Stay away from {person}.
        {person}. Do not turn your back on that one.
        """),
    _intent("opinion", "distrust", "", """
        Can I trust {person}?
        What do you think of {person}?
        Is {person} honest?
        """, """
        I would not trust {person}.
        {person}? Keep your hand on your purse.
        Not for all the gold in {place}.
        """),
    _intent("rumor", "sighting", "foes town", """
        Heard any rumors?
        What news?
        Any gossip?
        What do people talk about?
        """, """
        They say {foes} were seen near {town}.
        People whisper about {foes} near {town}.
        All of {place} talks about the {foes} near {town}.
        """),
    _intent("unknown_item", None, "", """
        How much is the {new_item}?
        I want to buy {a_new_item}.
        Do you have {a_new_item}?
        """, """
        I have no {new_item} for sale.
        I do not sell that.
        You will not find {a_new_item} here.
        """, 0.8),
    _intent("unknown_town", None, "", """
        Where is {new_town}?
        How do I get to {new_town}?
        Do you know the way to {new_town}?
        """, """
        I have never heard of {new_town}.
        I do not know where {new_town} is.
        {new_town}? That name means nothing to me.
        """, 0.8),
    _intent("unknown_person", None, "", """
        Where is {new_person}?
        Have you seen {new_person}?
        Do you know {new_person}?
        """, """
        I do not know anyone called {new_person}.
        {new_person}? Never heard that name.
        I have not met {new_person}.
        """, 0.8),
    _intent("help", None, "", """
        Can you help me?
        I need help.
        Will you help me?
        """, """
        Tell me what you need, then we will see.
        I am only a {role}, but I will try.
        That depends on your trouble.
        """, 0.5),
    _intent("say", None, "new_person new_town", """
        Say {new_person} and {new_town}.
        Repeat after me: {new_person} and {new_town}.
        """, """
        {new_person} and {new_town}.
        """, 1.2),
)  # fmt: skip

_BY_NAME = {intent.name: intent for intent in _FACTUAL}

INTENTS: tuple[Intent, ...] = (
    *_FACTUAL,
    _nothing("nothing_to_sell", "price", _BY_NAME["sell"], """
        I have nothing to sell.
        Nothing is for sale here.
        I am no trader. Ask someone else.
        """),
    _nothing("no_danger", "sighting", _BY_NAME["danger"], """
        It is quiet in {place}.
        I have seen no trouble lately.
        {place} is safe, as far as I know.
        """),
    _nothing("no_job", "bounty", _BY_NAME["job"], """
        I have no work for you.
        Nobody in {place} needs help today.
        There is no work here, I am afraid.
        """),
    _nothing("no_rumor", "sighting", _BY_NAME["rumor"], """
        Nothing new in {place}.
        I have heard nothing.
        No news is good news.
        """),
    _nothing("no_loss", "loss", _BY_NAME["loss"], """
        Not that I know of.
        Nobody has lost anything, I think.
        """),
    _nothing("no_enemy", "distrust", _BY_NAME["trust"], """
        I have no enemies in {place}.
        I get along with everyone.
        """),
)  # fmt: skip
