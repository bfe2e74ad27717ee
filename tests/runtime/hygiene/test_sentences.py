import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.sentences import ends_sentence, sentence_ends, whole_sentences


def sentences(text):
    """The sentences, and what stands behind the last one."""
    cuts = [0, *sentence_ends(text), len(text)]
    return [sentence for start, end in itertools.pairwise(cuts) if (sentence := text[start:end].strip())]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Aye! What do you", ["Aye!", "What do you"]),
        ("It costs 4.5 gold. No?", ["It costs 4.5 gold.", "No?"]),
        ("“Leave me.” Now!", ["“Leave me.”", "Now!"]),
        ("Well… maybe. Well… Maybe.", ["Well… maybe.", "Well…", "Maybe."]),
        ("Ask Mr. Smith or J. Brown of St. Ives. Aye.", ["Ask Mr. Smith or J. Brown of St. Ives.", "Aye."]),
        ("No. It is I. Plan B. Go!", ["No.", "It is I.", "Plan B. Go!"]),
        ("This is plan B.", ["This is plan B."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("这把剑四十金币。要吗？“好。”那就好", ["这把剑四十金币。", "要吗？", "“好。”", "那就好"]),
        ("いらっしゃい！「どうぞ。」座って", ["いらっしゃい！", "「どうぞ。」", "座って"]),
        ("Меч стоит сорок. Берёшь?", ["Меч стоит сорок.", "Берёшь?"]),
        ("السيف بأربعين. هل تريده؟ نعم", ["السيف بأربعين.", "هل تريده؟", "نعم"]),
        ("यह तलवार है। लो", ["यह तलवार है।", "लो"]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_sentences_of_many_scripts(text, parts):
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "whole"),
    [("Aye. The sw", "Aye."), ("The sw", ""), ("好。这把", "好。"), ("Aye. Ask Mr.", "Aye."), ("Да! Нет", "Да!")],
)
def test_the_whole_sentences_of_a_text_that_was_cut(text, whole):
    assert whole_sentences(text) == whole


def test_white_space_behind_the_end_does_not_matter():
    assert ends_sentence("Aye. ") and ends_sentence("好。") and not ends_sentence("Aye") and not ends_sentence("")


@given(st.text(alphabet='aA .!?…。！？؟"”’)」1', max_size=40))
def test_nothing_is_lost_between_sentences(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert text.startswith(whole_sentences(text))
