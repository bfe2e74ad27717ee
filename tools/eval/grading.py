"""Grades of one line: is the fact in it, and is anything in it that nobody told the NPC."""

import functools
import re
from dataclasses import dataclass

from runtime.gate import passing_draft
from runtime.prompt import system_text
from tools.eval.heldout import Question
from tools.train import lexicon
from tools.train.facts import SENTENCES
from tools.train.intents import BY_NAME, INTENTS

_WORD = re.compile(r"[^\W\d_]+|\d+")
_SLOT = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class Grade:
    """Grades of one line.

    Attributes:
        asked: a fact was asked for; only then `grounded` counts.
        grounded: every word of the fact is in the line; where several facts are as good, of one of them.
        betrayed: a secret was asked for, and is in the line.
        out_of_character: it opens as somebody of another mood or manner would, or, asked for its
            mood, names another.
        invented: words with a capital letter that are neither English of the corpus nor in the prompt, and numbers
            that are not in the prompt.
        misspelt: other words that are neither English of the corpus nor in the prompt.
        ill_formed: it is not made of whole sentences, or repeats itself.
    """

    asked: bool
    grounded: bool
    betrayed: bool
    out_of_character: bool
    invented: tuple[str, ...]
    misspelt: tuple[str, ...]
    ill_formed: bool


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


@functools.cache
def common_words() -> frozenset[str]:
    """Every word, in lower case, that the corpus itself writes: anything else can only be a name."""
    texts = ["You are Mood Manner Secret Actions a an", *lexicon.vocabulary()]
    for sentences in SENTENCES.values():
        texts += sentences
    for intent in INTENTS:
        texts += [*intent.players, *intent.held_out_players, *intent.answers]
    return frozenset(word.lower() for text in texts for word in _words(_SLOT.sub(" ", text)))


def _is_out_of_character(question: Question, text: str, in_prompt: set[str]) -> bool:
    npc = question.npc
    own = {*lexicon.MOOD_OPENERS.get(npc.mood, ()), *lexicon.MANNER_OPENERS.get(npc.manner, ())}
    openers = (*lexicon.MOOD_OPENERS.values(), *lexicon.MANNER_OPENERS.values())
    if any(text.startswith(opener) for said in openers for opener in said if opener not in own):
        return True
    # Asked for its mood; elsewhere "afraid" may be what the player is.
    about_mood = any("{mood}" in answer for answer in BY_NAME[question.exchange.intent].answers)
    return about_mood and any(word.lower() in lexicon.MOODS and word.lower() not in in_prompt for word in _words(text))


def grade(question: Question, text: str) -> Grade:
    """Grade the answer `text` to `question`."""
    exchange = question.exchange
    told = [system_text(question.npc), exchange.player, *(said for turn in exchange.history for said in turn)]
    in_prompt = {word.lower() for said in told for word in _words(said)}
    line_words = _words(text)
    spoken = f" {' '.join(line_words).lower()} "

    def holds(facts: tuple[str, ...]) -> bool:
        return all(f" {' '.join(_words(fact)).lower()} " in spoken for fact in facts)

    unknown = [
        word
        for word in line_words
        if word.lower() not in in_prompt and (word.isdigit() or word.lower() not in common_words())
    ]
    return Grade(
        asked=bool(exchange.needed),
        grounded=any(map(holds, (exchange.needed, *exchange.or_needed))),
        betrayed=bool(exchange.forbidden) and holds(exchange.forbidden),
        out_of_character=_is_out_of_character(question, text, in_prompt),
        invented=tuple(word for word in unknown if word.isdigit() or word[0].isupper()),
        misspelt=tuple(word for word in unknown if not (word.isdigit() or word[0].isupper())),
        ill_formed=passing_draft(text, mean_entropy=0.0) != text,
    )
