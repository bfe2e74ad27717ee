"""The pocket model that ships is the one that was graded: a sample of the held-out questions stays above a floor.

The floors lie well below the figures in docs/pocket.md, so that another processor's rounding cannot cross them, and far
above what a model reaches that does not read its prompt.
"""

import pytest

from runtime import Line, load
from tools.eval.grading import grade
from tools.eval.heldout import held_out_questions
from tools.eval.report import Answered, summarise

QUESTIONS = 60
STEPS = 16


@pytest.fixture(scope="module")
def answers() -> list[Answered]:
    palaver = load()
    found = []
    for number, question in enumerate(held_out_questions(QUESTIONS), start=1):
        exchange = question.exchange
        line: Line = palaver.ask(question.npc, exchange.player, seed=number, steps=STEPS, history=exchange.history)
        found.append(Answered(question, line, grade(question, line.text)))
    return found


def test_facts_that_were_asked_for_are_in_the_lines(answers: list[Answered]) -> None:
    assert summarise(answers)["grounded"]["share"] >= 0.68


def test_names_and_numbers_are_seldom_invented(answers: list[Answered]) -> None:
    assert summarise(answers)["invented"]["share"] <= 0.2


def test_no_line_is_empty_and_hardly_any_says_the_same(answers: list[Answered]) -> None:
    report = summarise(answers)
    assert report["empty"]["hits"] == 0
    assert report["repeated"]["share"] <= 0.1


def test_steps_stay_inside_the_cap(answers: list[Answered]) -> None:
    assert all(answer.line.steps_done <= STEPS * answer.line.canvases for answer in answers)
