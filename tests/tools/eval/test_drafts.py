"""What drafts are worth: cuts of a line, put into bins by their mean entropy, and settled words that changed."""

from types import SimpleNamespace

import numpy as np
import pytest

from runtime.draft import Draft
from runtime.npc import Npc
from tools.eval.drafts import Cut, CutLine, CutWatch, summarise_drafts
from tools.eval.heldout import Question
from tools.train.corpus import Exchange

NPC = Npc(id="smith", name="Mira", role="blacksmith", place="Oakvale", knowledge=("The iron sword costs 40 gold.",))
PRICE = Question(NPC, Exchange("price", "How much is the iron sword?", "The iron sword is 40 gold.", ("40",)))
END = 1


def cut_line(text, *cuts):
    return CutLine(PRICE, SimpleNamespace(text=text), tuple(Cut(*cut) for cut in cuts))


def report(canvas, argmax, entropy):
    result = SimpleNamespace(argmax=np.array(argmax), entropy=np.array(entropy))
    return SimpleNamespace(canvas=canvas, result=result)


def test_a_cut_has_the_mean_entropy_of_the_tokens_that_would_be_said():
    watch = CutWatch(frozenset({END}))
    for canvas, argmax, entropy in ((0, [5, 6, 7], [3.0, 3.0, 3.0]), (0, [5, 6, 7], [1.0, 2.0, 3.0])):
        watch.on_step(report(canvas, argmax, entropy))
        watch.on_draft(Draft(1, "Aye", 0, 1, 2))
    watch.on_step(report(1, [5, END, 7], [6.0, 9.0, 9.0]))
    watch.on_draft(Draft(1, "Aye, friend", 3, 3, 2))
    assert [cut.mean_entropy for cut in watch.cuts] == [3.0, 2.0, pytest.approx(3.0)]
    assert watch.cuts[-1] == Cut("Aye, friend", 3, 3.0)
    assert watch.positions == 9


def test_drafts_are_graded_by_what_the_gate_would_let_through_of_them():
    summary = summarise_drafts(
        [
            cut_line("It is 40 gold.", ("That is 4 gold.", 0, 0.25), ("It is 40 gold. You", 0, 0.25)),
            cut_line("It is 40 gold.", ("The the the", 0, 0.6)),
        ]
    )
    quarter, half = (
        next(row for row in summary["by_mean_entropy"] if row["mean_entropy_from"] == edge) for edge in (0.1, 0.5)
    )
    assert (quarter["drafts"], quarter["may_be_said_otherwise"]["hits"]) == (2, 2)
    assert (quarter["grounded"]["hits"], quarter["invented_or_misspelt"]["hits"]) == (1, 1)
    assert (half["drafts"], half["may_be_said_otherwise"]["hits"]) == (1, 0)


def test_a_settled_word_has_changed_if_the_line_has_another_one_in_its_place():
    summary = summarise_drafts(
        [
            cut_line("The iron sword is 40 gold.", ("The iron sword costs", 14, 0.1), ("The iron swords", 8, 0.1)),
            cut_line("It is 40 gold.", ("The sword", 9, 0.1)),
        ]
    )
    assert summary["settled_words_changed"]["hits"] == 2
    assert summary["settled_words_changed"]["total"] == 7
    assert summary["lines_with_a_changed_settled_word"]["hits"] == 1
