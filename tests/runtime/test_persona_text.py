import pytest

from runtime.npc import Npc
from runtime.persona_text import system_text

MIRA = Npc(
    id="smith",
    name="Mira",
    role="blacksmith",
    place="Oakvale",
    mood="tired",
    manner="gruff",
    knowledge=("The iron sword costs 40 gold.", " Ravenford lies to the north. "),
)


def test_it_names_the_persona_and_then_its_facts():
    assert system_text(MIRA) == (
        "You are Mira, blacksmith of Oakvale. Mood: tired. Manner: gruff.\n"
        "The iron sword costs 40 gold.\n"
        "Ravenford lies to the north."
    )


def test_secrets_and_actions_stand_behind_the_facts():
    npc = Npc(
        "m",
        "Mira",
        "blacksmith",
        language="English",
        knowledge=("It rains.",),
        secrets=("The key is under the anvil.",),
        names=("Oakvale",),
        actions=("ring_bell()", "give(item: iron kettle|oak shield, to: guard|child)", "pay(amount: 1..20)"),
        fallbacks=("Later.",),
        situations={"busy": ("Not now.",)},
        banned=("crown",),
        max_sentences=2,
        max_chars=200,
    )
    assert system_text(npc) == (
        "You are Mira, blacksmith. Language: English.\n"
        "It rains.\n"
        "Secret: The key is under the anvil.\n"
        "Actions: ring_bell(), give(item, to), pay(amount)."
    )


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "You are Mira, blacksmith."),
        ({"place": "Oakvale"}, "You are Mira, blacksmith of Oakvale."),
        ({"mood": "tired"}, "You are Mira, blacksmith. Mood: tired."),
        ({"manner": " gruff "}, "You are Mira, blacksmith. Manner: gruff."),
        ({"language": "Japanese"}, "You are Mira, blacksmith. Language: Japanese."),
        ({"knowledge": ("It rains.",)}, "You are Mira, blacksmith.\nIt rains."),
        ({"secrets": ("It rains.",)}, "You are Mira, blacksmith.\nSecret: It rains."),
        ({"actions": ("nod()",)}, "You are Mira, blacksmith.\nActions: nod()."),
    ],
)
def test_what_is_empty_is_left_out(parts, expected):
    assert system_text(Npc("m", "Mira", "blacksmith", **parts)) == expected
