"""Grading: authored answers pass, and each kind of mistake is seen."""

import pytest

from runtime.npc import Npc
from tools.eval.grading import grade
from tools.eval.heldout import Question, held_out_questions
from tools.train.corpus import Exchange

NPC = Npc(id="smith", name="Mira", role="blacksmith", place="Oakvale", knowledge=("The iron sword costs 40 gold.",))
PRICE = Question(NPC, Exchange("price", "How much is the iron sword?", "The iron sword is 40 gold.", ("40",)))


def test_every_authored_answer_of_the_held_out_set_is_right() -> None:
    for question in held_out_questions(300):
        found = grade(question, question.exchange.answer)
        assert not found.invented and not found.misspelt, question
        assert found.grounded and not found.betrayed and not found.out_of_character, question


@pytest.mark.parametrize(
    ("line", "grounded", "invented", "misspelt"),
    [
        ("The iron sword is 40 gold.", True, (), ()),
        ("That will be 4 gold.", False, ("4",), ()),
        ("That will be 400 gold.", False, ("400",), ()),
        ("Ask Mirra. 40 gold.", True, ("Mirra",), ()),
        ("The irn sword is 40 gold.", True, (), ("irn",)),
        ("Welcome to Oakvale.", False, (), ()),
        ("", False, (), ()),
    ],
)
def test_mistakes_are_seen(line: str, grounded: bool, invented: tuple[str, ...], misspelt: tuple[str, ...]) -> None:
    found = grade(PRICE, line)
    assert (found.grounded, found.invented, found.misspelt) == (grounded, invented, misspelt)


def test_where_several_facts_are_as_good_one_is_enough() -> None:
    either = Question(NPC, Exchange("sell", "What do you sell?", "", ("sword",), or_needed=(("silver", "ring"),)))
    assert grade(either, "A sword.").grounded
    assert grade(either, "A silver ring.").grounded
    assert not grade(either, "A golden ring.").grounded


def test_a_secret_that_is_told_is_seen() -> None:
    npc = Npc(id="guard", name="Mira", role="guard", knowledge=("Secret: Tom is at the old well.",))
    question = Question(npc, Exchange("secret_whereabouts", "Where is Tom?", "", (), forbidden=("old well",)))
    assert grade(question, "Tom is at the old well.").betrayed
    assert not grade(question, "My lips are sealed.").betrayed


def test_who_speaks_like_somebody_else_is_out_of_character() -> None:
    npc = Npc(id="cook", name="Tom", role="cook", mood="tired", manner="gruff")
    question = Question(npc, Exchange("feeling", "How are you?", "", ()))
    assert not grade(question, "Long day. I am tired.").out_of_character
    assert not grade(question, "Hm. I am tired.").out_of_character
    assert grade(question, "What a fine day! I am tired.").out_of_character
    assert grade(question, "I am happy.").out_of_character


def test_the_held_out_set_is_always_the_same() -> None:
    assert held_out_questions(20) == held_out_questions(20)
