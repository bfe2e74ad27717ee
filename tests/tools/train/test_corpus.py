"""The corpus: seeded, split by name, and every answer says what was asked for."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from runtime.prompt import system_text
from tools.eval.grading import common_words
from tools.train import lexicon
from tools.train.corpus import Scene, scenes
from tools.train.intents import BY_NAME, INTENTS
from tools.train.names import is_held_out


def _draw(seed: int, count: int, *, held_out: bool = False) -> list[Scene]:
    return list(itertools.islice(scenes(seed, exchanges=6, held_out=held_out), count))


_CAPITALISED = re.compile(r"\b[A-Z][a-z]+\b")


def _names(scene: Scene) -> set[str]:
    """Capitalised words of a scene that the corpus's own vocabulary does not have."""
    texts = [system_text(scene.npc), *(f"{item.player} {item.answer}" for item in scene.exchanges)]
    return {word for word in _CAPITALISED.findall(" ".join(texts)) if word.lower() not in common_words()}


def test_the_same_seed_gives_the_same_scenes() -> None:
    assert _draw(5, 20) == _draw(5, 20)
    assert _draw(5, 20) != _draw(6, 20)


@given(seed=st.integers(0, 2**40), held_out=st.booleans())
def test_names_come_from_one_side_of_the_split_only(seed: int, held_out: bool) -> None:
    for scene in _draw(seed, 3, held_out=held_out):
        names = _names(scene)
        assert names
        assert {is_held_out(name) for name in names} == {held_out}


@given(seed=st.integers(0, 2**40))
def test_answers_contain_what_was_asked_for_and_the_prompt_knows_it(seed: int) -> None:
    for scene in _draw(seed, 3):
        for exchange in scene.exchanges:
            told = f"{system_text(scene.npc)}\n{exchange.player}".lower()
            for fact in exchange.needed:
                assert fact.lower() in exchange.answer.lower()
                assert fact.lower() in told
            for secret in exchange.forbidden:
                assert secret.lower() in told
                assert secret.lower() not in exchange.answer.lower()


def test_keys_and_phrasings_of_open_facts_that_are_evaluated_are_never_trained_on() -> None:
    def open_players(scenes: list[Scene]) -> set[str]:
        return {item.player for scene in scenes for item in scene.exchanges if item.intent.startswith("open")}

    trained, evaluated = open_players(_draw(1, 1500)), open_players(_draw(2, 300, held_out=True))
    assert len(trained) > 500 and len(evaluated) > 100
    assert not trained & evaluated
    heads = [head for head in lexicon.KEY_HEADS if is_held_out(head)]
    assert len(heads) >= 10
    assert not any(text.rstrip("?.").endswith(f" {head}") for text in trained for head in heads)


def test_a_follow_up_comes_right_behind_what_it_follows() -> None:
    follow_ups = [e for scene in _draw(3, 1200) for e in scene.exchanges if BY_NAME[e.intent].after]
    assert len(follow_ups) > 50
    for exchange in follow_ups:
        assert len(exchange.history) == 1


def test_the_corpus_is_as_wide_as_it_says() -> None:
    drawn = _draw(1, 3000)
    assert len({scene.npc.role for scene in drawn}) >= 30
    assert len({scene.npc.mood for scene in drawn} - {""}) >= 10
    assert len({exchange.intent for scene in drawn for exchange in scene.exchanges}) == len(INTENTS) >= 60
    share = [bool(exchange.history) for scene in drawn for exchange in scene.exchanges]
    assert 0.1 < sum(share) / len(share) < 0.3


def test_every_intent_has_several_phrasings() -> None:
    for intent in INTENTS:
        assert len(intent.players) >= 2, intent.name
        assert len(intent.answers) >= 2 or intent.name == "say", intent.name
