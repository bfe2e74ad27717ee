import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.manifest import TokenFacts
from runtime.text import LineReader

MULTI_BYTE = "Añejo café — 日本の剣 costs 40 €, 🗡️ 👩‍🚒 naïve ﬁn."


@pytest.fixture
def read(tokenizer, token_facts):
    reader = LineReader(tokenizer, token_facts)
    return lambda text: reader.read(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("text", ["Hello there.", "“Aye,” she said: 40 gold — no less!", MULTI_BYTE])
def test_plain_text_comes_back_as_it_was(read, text):
    assert read(text) == text


def test_special_tokens_are_taken_out(read):
    assert read("<bos>Hello<pad> there.<turn|><pad><pad>") == "Hello there."


def test_white_space_is_one_space_and_the_line_is_one_line(read):
    assert read("  Hello\n\n  there,\tfriend. \u00a0 \n") == "Hello there, friend."


def test_control_characters_go(read):
    assert read("Hel\x1b[31mlo\x00\x7f") == "Hel[31mlo"


class TestThinking:
    def test_a_block_is_not_spoken(self, read):
        assert read("<|channel>thought\nShe is poor.<channel|>Ten gold.") == "Ten gold."

    def test_blocks_may_come_anywhere_and_more_than_once(self, read):
        assert read("Ten<|channel>hm<channel|> gold<|channel><channel|>.") == "Ten gold."

    def test_a_block_that_never_closes_hides_the_rest(self, read):
        assert read("Ten gold.<|channel>Was that too much?") == "Ten gold."

    def test_it_is_spoken_where_there_is_nothing_else(self, read):
        assert read("<|channel>a<channel|><|channel>Ten gold.") == "Ten gold."
        assert read("<|channel>Ten<|channel> gold.") == "Ten gold."

    def test_a_closed_block_is_not_spoken_even_where_there_is_nothing_else(self, read):
        assert read("<|channel>thought<channel|>") == ""

    def test_a_close_without_an_open_is_a_special_token_like_others(self, read):
        assert read("Ten<channel|> gold.") == "Ten gold."

    def test_a_model_without_thinking_has_no_blocks(self, tokenizer):
        reader = LineReader(tokenizer, TokenFacts("<bos>", ("<bos>", "<eos>"), None, None))
        assert reader.read(tokenizer.encode("<bos>Ten gold.<eos>", add_special_tokens=False).ids) == "Ten gold."


def test_a_special_token_spelled_in_ordinary_tokens_is_taken_out_too(tokenizer, token_facts):
    ids = [i for piece in ("Hi <tu", "rn|> you") for i in tokenizer.encode(piece, add_special_tokens=False).ids]
    assert LineReader(tokenizer, token_facts).read(ids) == "Hi you"


def test_every_cut_of_a_text_is_a_start_of_the_text(tokenizer, token_facts):
    reader = LineReader(tokenizer, token_facts)
    ids = tokenizer.encode(MULTI_BYTE, add_special_tokens=False).ids
    seen = [reader.read(ids[:count]) for count in range(len(ids) + 1)]
    assert all(MULTI_BYTE.startswith(text) for text in seen)
    assert [len(text) for text in seen] == sorted(len(text) for text in seen)
    # No whole character is lost on the way: cutting behind the last byte of one shows it.
    starts = {MULTI_BYTE[:length].rstrip() for length in range(len(MULTI_BYTE) + 1)}
    assert set(seen) == starts


def test_a_token_that_is_cut_inside_a_character_keeps_the_characters_before_the_cut(tokenizer, token_facts):
    """Where the byte-fallback decoder would replace the whole run of bytes, whole characters included."""
    reader = LineReader(tokenizer, token_facts)
    whole = tokenizer.encode("のの", add_special_tokens=False).ids
    assert reader.read(whole[:-1]) == "の"


@given(st.text(max_size=30), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_cut_of_any_text_shows_a_replacement_character(tokenizer, token_facts, text, data):
    text = text.replace("\ufffd", "")
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    cut = data.draw(st.integers(0, len(ids)))
    line = LineReader(tokenizer, token_facts).read(ids[:cut])
    assert "\ufffd" not in line
    assert line == " ".join(line.split())


@given(st.lists(st.integers(0, 265), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tokens_in_any_order_give_one_clean_line(tokenizer, token_facts, ids):
    line = LineReader(tokenizer, token_facts).read(ids)
    line.encode("utf-8")
    assert "\ufffd" not in line and line == " ".join(line.split())
    assert not any(token in line for token in token_facts.special)
