from hypothesis import given
from hypothesis import strategies as st

from runtime.markers import remove_markers

MARKERS = ("<eos>", "<turn|>", "<|turn>", "<|image|>", "<|image>")


def test_markers_go_and_words_stay():
    assert remove_markers("Hello<turn|><|turn> there", MARKERS) == "Hello there"


def test_a_marker_spelled_by_removing_another_goes_too():
    assert remove_markers("a<tu<e<eos>os>rn|>b", MARKERS) == "ab"


def test_the_longest_marker_is_taken_first():
    assert remove_markers("<|image|>", MARKERS) == ""


def test_regular_expression_characters_are_plain_characters():
    assert remove_markers("a.c abc", ("a.c",)) == " abc"


def test_without_markers_text_is_left_alone():
    assert remove_markers("<eos>", ()) == "<eos>"
    assert remove_markers("<eos>", ("",)) == "<eos>"


@given(st.lists(st.sampled_from([*MARKERS, "<", "|", ">", "turn", "e", "os", "<|im", "age|>", "x"]), max_size=30))
def test_nothing_is_ever_left(pieces):
    cleaned = remove_markers("".join(pieces), MARKERS)
    assert not any(marker in cleaned for marker in MARKERS)
    assert cleaned.count("x") == pieces.count("x")
