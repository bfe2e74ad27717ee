"""Grades of one line: is the fact in it, and is anything in it that nobody told the NPC."""

import functools
import re
from dataclasses import dataclass

from runtime.gate import passing_draft
from runtime.prompt import system_text
from tools.eval.heldout import Question
from tools.train import lexicon
from tools.train.facts import SENTENCES
from tools.train.intents import INTENTS

_WORD = re.compile(r"[^\W\d_]+|\d+")
_SLOT = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class Grade:
    """Grades of one line.

    Attributes:
        asked: a fact was asked for; only then `grounded` counts.
        grounded: every word of the fact is in the line.
        invented: words with a capital letter that are neither English of the corpus nor in the prompt, and numbers
            that are not in the prompt.
        misspelt: other words that are neither English of the corpus nor in the prompt.
        ill_formed: it is not made of whole sentences, or repeats itself.
    """

    asked: bool
    grounded: bool
    invented: tuple[str, ...]
    misspelt: tuple[str, ...]
    ill_formed: bool


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


@functools.cache
def common_words() -> frozenset[str]:
    """Every word, in lower case, that the corpus itself writes: anything else can only be a name."""
    texts: list[str] = [*SENTENCES.values(), "You are Mood Manner a an"]
    for intent in INTENTS:
        texts += [*intent.players, *intent.answers]
    for openers in (*lexicon.MOOD_OPENERS.values(), *lexicon.MANNER_OPENERS.values()):
        texts += openers
    for nouns in (
        lexicon.ROLES,
        lexicon.MOODS,
        lexicon.MANNERS,
        lexicon.ITEMS,
        lexicon.QUALITIES,
        lexicon.GOODS,
        lexicon.SPOTS,
        lexicon.FOES,
        lexicon.TASKS,
        lexicon.WAYS,
        lexicon.HOURS,
        lexicon.WEATHER,
        lexicon.KIN,
        lexicon.FEASTS,
    ):
        texts += nouns
    return frozenset(word.lower() for text in texts for word in _words(_SLOT.sub(" ", text)))


def grade(question: Question, text: str) -> Grade:
    """Grade the answer `text` to `question`."""
    exchange = question.exchange
    told = [system_text(question.npc), exchange.player, *(said for turn in exchange.history for said in turn)]
    in_prompt = {word.lower() for said in told for word in _words(said)}
    line_words = _words(text)
    spoken = f" {' '.join(line_words).lower()} "
    unknown = [
        word
        for word in line_words
        if word.lower() not in in_prompt and (word.isdigit() or word.lower() not in common_words())
    ]
    return Grade(
        asked=bool(exchange.needed),
        grounded=all(f" {' '.join(_words(fact)).lower()} " in spoken for fact in exchange.needed),
        invented=tuple(word for word in unknown if word.isdigit() or word[0].isupper()),
        misspelt=tuple(word for word in unknown if not (word.isdigit() or word[0].isupper())),
        ill_formed=passing_draft(text, mean_entropy=0.0) != text,
    )
