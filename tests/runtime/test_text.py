import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.manifest import TokenFacts
from runtime.npc import Npc
from runtime.text import Cleaned, LineReader, TextRules, clean

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


def test_reading_leaves_everything_else_to_the_chain(read):
    assert read("  Mira:\nHello\x00 *nods* \n") == "  Mira:\nHello\x00 *nods* \n"


class TestThinking:
    def test_a_block_is_not_spoken(self, read):
        assert read("<|channel>thought\nShe is poor.<channel|>Ten gold.") == "Ten gold."

    def test_blocks_may_come_anywhere_and_more_than_once(self, read):
        assert read("Ten<|channel>hm<channel|> gold<|channel><channel|>.") == "Ten gold."

    def test_a_block_that_never_closes_hides_the_rest(self, read):
        assert read("Ten gold.<|channel>Was that too much?") == "Ten gold."

    @pytest.mark.parametrize("rest", ["", "<channel|>", "<channel|><|channel>Ten gold.", "<|channel> gold."])
    def test_it_is_not_spoken_even_where_there_is_nothing_else(self, read, rest):
        assert read(f"<|channel>thought{rest}") == ""

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        parts=st.lists(st.tuples(st.booleans(), st.text("abc ,.é", min_size=1)), max_size=6), cut=st.integers(0, 200)
    )
    def test_wherever_the_tokens_are_cut_no_thought_is_spoken(self, tokenizer, token_facts, parts, cut):
        """As canvases and drafts cut them: what is read is always a start of what is spoken in the end."""
        told = "".join(f"<|channel>XYZ{text}<channel|>" if thought else text for thought, text in parts)
        ids = tokenizer.encode(told, add_special_tokens=False).ids
        read = LineReader(tokenizer, token_facts).read(ids[:cut])
        assert "".join(text for thought, text in parts if not thought).startswith(read)

    def test_a_close_without_an_open_is_a_special_token_like_others(self, read):
        assert read("Ten<channel|> gold.") == "Ten gold."

    def test_a_model_without_thinking_has_no_blocks(self, tokenizer):
        reader = LineReader(tokenizer, TokenFacts("<bos>", ("<bos>", "<eos>"), None, None))
        assert reader.read(tokenizer.encode("<bos>Ten gold.<eos>", add_special_tokens=False).ids) == "Ten gold."


def test_every_cut_of_a_text_is_a_start_of_the_text(tokenizer, token_facts):
    reader = LineReader(tokenizer, token_facts)
    ids = tokenizer.encode(MULTI_BYTE, add_special_tokens=False).ids
    seen = [reader.read(ids[:count]) for count in range(len(ids) + 1)]
    assert all(MULTI_BYTE.startswith(text) for text in seen)
    assert [len(text) for text in seen] == sorted(len(text) for text in seen)
    # No whole character is lost on the way: cutting behind the last byte of one shows it.
    starts = {MULTI_BYTE[:length] for length in range(len(MULTI_BYTE) + 1)}
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
    assert "\ufffd" not in LineReader(tokenizer, token_facts).read(ids[:cut])


MIRA = TextRules("Mira", ("<eos>", "<turn|>", "<|turn>"), names=("Tom",))


@pytest.mark.parametrize(
    "text", ["Hello there.", "“Aye,” she said: 40 gold — no less!", MULTI_BYTE, "这把剑四十金币。"]
)
def test_a_good_line_comes_through_the_chain_as_it_was(text):
    assert clean(text, MIRA) == Cleaned(text)


@pytest.mark.parametrize(
    ("raw", "text", "directions"),
    [
        (
            "<bos>Mira:\n*wipes the counter* “Aye.\nTen gold.”<|im_end|>\nuser\nThanks!",
            "Aye. Ten gold.",
            ("wipes the counter",),
        ),
        ("Hi <tu<eos>rn|> you [ring_bell()]", "Hi you", ()),
        ('**Mira**: I said "no" and “yes”. Tom: Ha!', 'I said "no" and "yes".', ()),
        ("\u202eМира:\u202c Сорок\u200b золотых.\r\nИгрок: Дорого.", "Мира: Сорок золотых.", ()),
        ("（笑）四十金币。\n玩家：太贵了", "四十金币。", ("笑",)),
        ("助手：いらっしゃい！\nプレイヤー：やあ", "いらっしゃい！", ()),
        ("المساعد: السيف بأربعين.\nاللاعب: غالٍ", "السيف بأربعين.", ()),
        ("👩‍🚒 ❤️ Hello\x1b[0m!", "👩‍🚒 ❤️ Hello[0m!", ()),
        (" \n<eos> \u200b", "", ()),
        ("Hi <e*o*s> you <turn[pay(1)]|>all. [reads <e**os>a\nnote]", "Hi you all.", ("reads a note",)),
        ("*She says nothing.*", "", ("She says nothing.",)),
    ],
)
def test_the_chain_in_many_scripts(raw, text, directions):
    rules = TextRules("Mira", (*MIRA.special_tokens, "<bos>"), names=("Tom",))
    assert clean(raw, rules) == Cleaned(text, directions)


def test_the_limits_of_the_persona_end_the_line_with_a_sentence():
    npc = Npc("mira", "Mira", "smith", names=("Tom",), max_sentences=2, max_chars=20)
    rules = TextRules.of(npc, ("<eos>",))
    assert rules == TextRules("Mira", ("<eos>",), ("Tom",), 2, 20)
    assert clean("One. Two. Three.", rules).text == "One. Two."
    assert clean("One is enough. Two is a crowd.", rules).text == "One is enough."
    assert clean("一。二。三。", rules).text == "一。二。"


@given(st.lists(st.integers(0, 265), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tokens_in_any_order_give_one_clean_line(tokenizer, token_facts, ids):
    rules = TextRules("Mira", token_facts.special)
    line = clean(LineReader(tokenizer, token_facts).read(ids), rules).text
    line.encode("utf-8")
    assert "\ufffd" not in line and line == " ".join(line.split())
    assert not any(token in line for token in token_facts.special)


@given(st.text(alphabet='Mira: Tom.\n*_[]()"“”<|>!?。：（）a1,', max_size=50))
def test_cleaning_again_changes_nothing_more(raw):
    once = clean(raw, MIRA)
    twice = clean(once.text, MIRA)
    assert clean(twice.text, MIRA).text == twice.text
