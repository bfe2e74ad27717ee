import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.leaked_markers import without_markers

TOKENS = ("<eos>", "<turn|>", "<|turn>")


@pytest.mark.parametrize(
    "marker",
    [
        "<eos>",
        "<turn|>",
        "<|im_start|>",
        "<|im_end|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|endoftext|>",
        "<start_of_turn>",
        "<end_of_turn>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "</s>",
        "<extra_id_1>",
        "<｜User｜>",
        "<unused42>",
        "</think>",
    ],
)
def test_control_tokens_of_any_template_go(marker):
    assert without_markers(f"Hello{marker} there", TOKENS) == "Hello there"


def test_a_marker_spelled_by_removing_another_goes_too():
    assert without_markers("a<|im_<eos>end|>b<<|x|>/s>c", TOKENS) == "abc"


def test_nests_of_them_cost_no_time():
    assert without_markers("<" * 5000 + "|x>" * 2000 + "Aye", TOKENS).endswith("Aye")
    assert "<" not in without_markers("<" * 5000 + "|x>" * 2000, TOKENS)


@pytest.mark.parametrize(
    "text", ["I <3 you", "5 < 6 > 4", "<b>loud</b>", "a | b", "[laughs]", "-> go <-", "《书》<剑>"]
)
def test_other_brackets_stay(text):
    assert without_markers(text, TOKENS) == text


@given(
    st.lists(st.sampled_from(["<eos>", "<|", "|>", "<", "im_end", "</s>", "[INST]", "[/", "INST]", "x"]), max_size=20)
)
def test_nothing_is_ever_left(pieces):
    cleaned = without_markers("".join(pieces), TOKENS)
    assert without_markers(cleaned, TOKENS) == cleaned
    assert not any(token in cleaned for token in (*TOKENS, "<|im_end|>", "</s>", "[INST]"))
