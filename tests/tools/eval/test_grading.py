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
        assert found.grounded, question


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


def test_the_held_out_set_is_always_the_same() -> None:
    assert held_out_questions(20) == held_out_questions(20)
