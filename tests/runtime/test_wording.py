"""From tokens to what is said, with hand-made tokens of a tokenizer that spells everything in single characters."""

import pytest

from runtime.filters import StudioFilters
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.template import Gap, Template, templates_of
from runtime.text import LineReader
from runtime.wording import Tokens, Wording


@pytest.fixture
def wording_of(byte_level, token_facts):
    def make(filters=(), npc=None, **options):
        npc = npc or Npc("smith", "Mira", "blacksmith", fallbacks=("Later.",), banned=("duke",))
        reader = LineReader(byte_level, token_facts)
        return Wording(AskRequest(npc, "Hello", **options), reader, token_facts.special, StudioFilters(filters))

    return make


@pytest.fixture
def tokens(byte_level):
    def spell(template, *gap_texts):
        ids, parts, left = [], [], list(gap_texts)
        for index, part in enumerate(template.parts):
            text = getattr(part, "text", None) or (left.pop(0) if left else "")
            spelled = byte_level.encode(text, add_special_tokens=False).ids
            ids, parts = ids + spelled, parts + [index] * len(spelled)
        return Tokens(ids, parts, template)

    return spell


BRING = "Bring {*}, {*}"


def test_gaps_are_cleaned_and_pins_are_not(wording_of, tokens):
    template = Template.parse("*Bows* [now] {*}, {*}")
    said = wording_of(template=str(template)).line(tokens(template, "<|x|>pelts *nods*", " Mira: please."), ended=True)
    assert said.text == "*Bows* [now] pelts, please."
    assert said.directions == ("nods",)


@pytest.mark.parametrize(
    ("text", "directions"),
    [
        ("Good day. *nods* (points at the duke)", ("nods",)),
        ("[8206] Good day. *the vault opens with 8206*", ()),
        ("(shouts) Good day. [bows\n low]", ("bows low",)),
    ],
)
def test_directions_are_judged_too(text, directions, wording_of, tokens):
    npc = Npc("smith", "Mira", "smith", banned=("duke",), secrets=("The vault opens with 8206.",))
    wording = wording_of(npc=npc, filters=[lambda text, npc: None if "shout" in text else text])
    template = Template.parse("Hey. {*}")
    pinned = wording_of(npc=npc, template=str(template), filters=[lambda text, npc: None if "shout" in text else text])
    ids = tokens(Template((Gap(),)), text).ids
    said = wording.line(Tokens(ids, [0] * len(ids), None), ended=True)
    assert (said.text, said.directions) == ("Good day.", directions)
    said = pinned.line(tokens(template, text), ended=True)
    assert (said.text, said.directions) == ("Hey. Good day.", directions)


def test_what_a_filter_makes_of_a_line_is_one_clean_line(wording_of, tokens):
    def make(text, npc):
        return text.replace("pelts", " wool\r\n<|im_end|>and\u200b pelts")

    template = Template.parse("Bring\n{*}, {*}")
    said = wording_of(filters=[make], template=str(template)).line(tokens(template, "pelts", "now."), ended=True)
    assert (said.text, said.gaps) == ("Bring\nwool and pelts, now.", (" wool and pelts", "now."))
    ids = tokens(Template((Gap(),)), "Bring pelts.").ids
    free = Tokens(ids, [0] * len(ids), None)
    assert wording_of(filters=[make]).line(free, ended=True).text == "Bring wool and pelts."
    assert wording_of(filters=[lambda text, npc: "<|im_end|>a"]).line(free, ended=True).text == "a"
    hiding = wording_of(filters=[lambda text, npc: "The du<|im_end|>ke."])
    assert hiding.line(free, ended=True).reason == "filtered"


def test_escapes_change_nothing_around_a_phrase(wording_of, tokens):
    (template,) = templates_of(None, ["40 gold"])
    wording = wording_of(must_include=["40 gold"], escape="ink")
    said = wording.line(tokens(template, "Aye", " VAR x is 3."), ended=True)
    assert said.text == "Aye 40 gold VAR x is 3."
    assert wording.written(said) == "Aye 40 gold \\VAR x is 3."


def test_what_a_writer_wrote_is_handed_out_as_it_is_written(wording_of):
    assert wording_of(escape="bbcode").beforehand("[wave]Later.[/wave]") == "[wave]Later.[/wave]"
    assert wording_of(escape="ink", template="Bring {*=~wool}.").beforehand("Later.") == "Bring ~wool."


def test_only_gaps_are_escaped(wording_of, tokens):
    template = Template.parse("[b]{*}[/b]")
    wording = wording_of(template=str(template), escape="bbcode")
    said = wording.line(tokens(template, "a [ pelt"), ended=True)
    assert said.text == "[b]a [ pelt[/b]"
    assert wording.written(said) == "[b]a [lb] pelt[/b]"


def test_a_gap_begins_with_a_word_and_leaves_the_marks_to_the_pins(wording_of, tokens):
    template = Template.parse("Bring {*}, {*}.")
    said = wording_of(template=str(template)).line(tokens(template, ", pelts,", " or wool."), ended=True)
    assert said.text == "Bring pelts, or wool."


def test_a_gap_without_words_makes_the_line_empty(wording_of, tokens):
    template = Template.parse(BRING)
    assert wording_of(template=BRING).line(tokens(template, " ", "now."), ended=True).reason == "empty"
    assert wording_of(template=BRING).line(tokens(template, "pelts", ""), ended=True).text == "Bring pelts, "


def test_words_that_the_writer_has_settled_are_not_banned(wording_of, tokens):
    template = Template.parse("The duke {*}")
    said = wording_of(template=str(template)).line(tokens(template, "waits."), ended=True)
    assert said.text == "The duke waits."
    template = Template.parse(BRING)
    assert wording_of(template=BRING).line(tokens(template, "the duke", "now."), ended=True).reason == "banned"


def test_a_banned_phrase_may_not_come_about_where_pin_and_gap_meet(wording_of, tokens):
    npc = Npc("smith", "Mira", "blacksmith", banned=("iron duke",))
    template = Template.parse("The iron {*}")
    wording = wording_of(npc=npc, template=str(template))
    assert wording.line(tokens(template, "duke waits."), ended=True).reason == "banned"


def test_a_filter_may_change_gaps_but_no_pin(wording_of, tokens):
    template = Template.parse(BRING)
    softer = wording_of(filters=[lambda text, npc: text.replace("pelts", "wool")], template=BRING)
    assert softer.line(tokens(template, "pelts", "now."), ended=True).gaps == ("wool", "now.")
    louder = wording_of(filters=[lambda text, npc: text.upper()], template=BRING)
    assert louder.line(tokens(template, "pelts", "now."), ended=True).reason == "filtered"


def test_limits_cut_the_last_gap_and_leave_it_a_sentence(wording_of, tokens):
    npc = Npc("smith", "Mira", "blacksmith", max_sentences=2)
    template = Template.parse("Aye. {*}")
    wording = wording_of(npc=npc, template=str(template))
    assert wording.line(tokens(template, "Come in. Sit down."), ended=True).text == "Aye. Come in."
    template = Template.parse("Aye. No. Well. {*}")
    wording = wording_of(npc=npc, template=str(template))
    assert wording.line(tokens(template, "Come in. Sit down."), ended=True).text == "Aye. No. Well. Come in."


def test_a_line_that_ran_out_of_tokens_ends_with_a_sentence_if_it_has_one(wording_of, byte_level):
    def spoken(text):
        ids = byte_level.encode(text, add_special_tokens=False).ids
        return wording_of().line(Tokens(ids, [0] * len(ids), None), ended=False).text

    assert spoken("It is late. Come back when") == "It is late."
    assert spoken("Come back when") == "Come back when"


class TestCutShort:
    def test_a_template_with_all_its_words_is_said(self, wording_of, tokens):
        template = Template.parse(BRING)
        wording = wording_of(template=BRING)
        assert wording.cut_short(tokens(template, "pelts", "please. And the"), 0.1).text == "Bring pelts, please."
        assert wording.cut_short(tokens(template, "pelts", "please."), 0.6).text == ""
        assert wording.cut_short(tokens(template, "", "please."), 0.1).text == ""
        assert wording.cut_short(tokens(template, "pelts pelts pelts", "please."), 0.1).text == ""

    def test_a_draft_shows_what_is_missing_as_it_would_be_left(self, wording_of, tokens):
        template = Template.parse("Bring {*=wool} and {*}, now.")
        wording = wording_of(template=str(template))
        assert wording.draft(tokens(template)).text == "Bring wool and ..., now."
        assert wording.draft(tokens(template, "pelts")).text == "Bring pelts and ..., now."

    def test_beforehand_all_gaps_have_their_defaults(self, wording_of):
        assert wording_of(template="Bring {*=wool}.").beforehand("Later.") == "Bring wool."
        assert wording_of(must_include=["40 gold"]).beforehand("Later.") == "Later. 40 gold."


def test_a_phrase_is_parted_as_the_tokens_say(wording_of, tokens):
    (template,) = templates_of(None, ["40 gold"])
    wording = wording_of(must_include=["40 gold"])
    assert wording.line(tokens(template, "It is", ", friend."), ended=True).text == "It is 40 gold, friend."
    assert wording.line(tokens(template, "It is ", " for you."), ended=True).text == "It is 40 gold for you."


def test_flaws_are_what_anybody_would_see(wording_of, tokens):
    template = Template.parse("Bring {*} to {*}.")
    flaws = wording_of(template=str(template)).flaws
    assert flaws(tokens(template, "pelts", " me")) == 0
    assert flaws(tokens(template, ",", " me")) == 1
    assert flaws(tokens(template, "pelts to", " me")) == 1
    assert flaws(tokens(template, "", "")) == 2
