import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.prompt_tokens import PromptTokens


@pytest.fixture
def tokens(tokenizer, token_facts):
    return PromptTokens(tokenizer, token_facts.special)


def test_a_line_has_neither_control_tokens_nor_line_breaks(tokens):
    assert tokens.line(" It<eos>\n rains.\u200b") == "It rains."


def test_the_end_of_a_line_counts_too(tokens):
    assert tokens.count("It rains.") == len(tokens.ids("It rains.")) + 1


def test_the_start_and_the_end_keep_whole_words(tokens):
    line = "alpha beta gamma"
    length = len(tokens.ids(line))
    assert (tokens.start(line, length), tokens.end(line, length)) == (line, line)
    assert (tokens.start(line, length - 2), tokens.end(line, length - 2)) == ("alpha beta", "beta gamma")


def test_of_a_single_word_letters_are_kept(tokens):
    assert 0 < len(tokens.start("a" * 50, 9)) <= 9
    assert 0 < len(tokens.end("a" * 50, 9)) <= 9


@given(st.text(st.sampled_from("ab .e\u65e5\u0303\U0001f525"), max_size=40), st.integers(0, 60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neither_is_ever_too_long_or_changed(tokens, line, count):
    start, end = tokens.start(line, count), tokens.end(line, count)
    assert line.strip().startswith(start.strip()) and line.strip().endswith(end.strip())
    assert max(len(tokens.ids(start)), len(tokens.ids(end))) <= count
