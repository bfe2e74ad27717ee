import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.directions import apart_from_directions, without_calls


@pytest.mark.parametrize(
    ("text", "spoken", "directions"),
    [
        ("*sighs* Fine.", "Fine.", ("sighs",)),
        ("*sighs* *looks away* Fine.", "Fine.", ("sighs", "looks away")),
        ("Aye. *She turns to the fire.* Come in.", "Aye. Come in.", ("She turns to the fire.",)),
        ("Aye *nods slowly* come in.", "Aye come in.", ("nods slowly",)),
        ("Aye *nods*.", "Aye.", ("nods",)),
        ("Well, *shrugs*, come in.", "Well, come in.", ("shrugs",)),
        ("(She smiles.) Ten gold.", "Ten gold.", ("She smiles.",)),
        ("Ten gold. (smiles)", "Ten gold.", ("smiles",)),
        ("[laughs] No! [pause] Yes.", "No! Yes.", ("laughs", "pause")),
        ("_whispers_ Come closer.", "Come closer.", ("whispers",)),
        ("（叹气）好吧。（笑）再见。", "好吧。再见。", ("叹气", "笑")),
        ("好的（微笑）请坐。", "好的请坐。", ("微笑",)),
        ("【ため息】はい。", "はい。", ("ため息",)),
        ("(вздыхает) Ладно.", "Ладно.", ("вздыхает",)),
        ("*вздыхает* Ладно.", "Ладно.", ("вздыхает",)),
        ("(يتنهد) حسنًا.", "حسنًا.", ("يتنهد",)),
        ("*🙂 waves* Hello! 👋", "Hello! 👋", ("🙂 waves",)),
        ("*She smiles.*", "", ("She smiles.",)),
    ],
)
def test_directions_are_kept_apart(text, spoken, directions):
    assert apart_from_directions(text) == (spoken, directions)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("I *really* mean it.", "I really mean it."),
        ("I will *never ever* do that.", "I will never ever do that."),
        ("**Ten** gold, not __nine__.", "Ten gold, not nine."),
        ("It costs 4 * 5 gold.", "It costs 4  5 gold."),
        ("The sword (a good one) costs ten gold.", "The sword (a good one) costs ten gold."),
        ("Take snake_case_names.", "Take snake_case_names."),
        ("A smile :) and a wink ;)", "A smile :) and a wink ;)"),
    ],
)
def test_stressed_words_and_asides_are_spoken(text, spoken):
    assert apart_from_directions(text) == (spoken, ())


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("As you wish. [ring_bell()]", "As you wish."),
        ("Here. [give(iron kettle)] Take it.", "Here. Take it."),
        ("[ pay ( 20 ) ]", ""),
        ("[laughs]", "[laughs]"),
    ],
)
def test_calls_of_actions_are_no_speech(text, spoken):
    assert without_calls(text) == spoken


@given(st.text(alphabet="ab*_[]()（）. ,nods", max_size=40))
def test_nothing_is_spoken_that_was_not_written(text):
    spoken, directions = apart_from_directions(text)
    assert "*" not in spoken
    for part in (spoken, *directions):
        letters = iter(text)
        assert all(letter in letters for letter in part if not letter.isspace())
