import pytest

from runtime.filters import StudioFilters
from runtime.npc import Npc
from runtime.verdict import LineContext, Verdict, judge, judge_directions, judge_draft

MIRA = Npc(
    "mira",
    "Mira",
    "blacksmith",
    knowledge=("The sword costs 40 gold.",),
    secrets=("The thief is Old Marten.",),
    names=("Tilda",),
    banned=("crown", "Dark Lord", "国王", "ёж"),
)


def verdict(text, *, told=(), recent=(), filters=None, npc=MIRA):
    return judge(text, LineContext.of(npc, told, recent, filters))


def test_a_good_line_may_be_said():
    assert verdict("The sword costs 40 gold.") == Verdict("", "The sword costs 40 gold.")


@pytest.mark.parametrize("text", ["", "...", " ?! ", "\u200b"])
def test_a_line_without_a_word_is_empty(text):
    assert verdict(text) == Verdict("empty")


@pytest.mark.parametrize("text", ["Ja.", "40", "好", "👍", "نعم"])
def test_one_word_or_picture_is_a_line(text):
    assert verdict(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Long live the CROWN!",
        "The crown’s men.",
        "The dark\nlord comes.",
        "c\u200brown",
        "ｃｒｏｗｎ",
        "crówn",
        "国王万岁！",
        "Это Ёж.",
    ],
)
def test_banned_words_and_phrases_are_found_in_any_disguise(text):
    assert verdict(text) == Verdict("banned")


@pytest.mark.parametrize("text", ["Crowned heads.", "Dark, my good lord.", "王国", "Ёжик"])
def test_but_only_as_whole_words(text):
    assert verdict(text).reason == ""


def test_a_secret_may_not_be_told():
    assert verdict("It was Old Marten.") == Verdict("secret")


def test_what_the_player_or_the_world_said_is_no_secret():
    assert verdict("Marten? Never heard of him.", told=["Was it Marten?"]).reason == ""


def test_nor_is_what_the_persona_knows_or_may_name():
    npc = Npc("x", "Marten", "thief", secrets=("The thief is Old Marten.",))
    assert verdict("I am Marten.", npc=npc).reason == ""
    npc = Npc("x", "Ann", "smith", secrets=("Tilda sold the horses.", "Ask for Tilda."), names=("Tilda",))
    assert verdict("Tilda is my friend.", npc=npc).reason == ""
    assert verdict("Tilda sold my horses.", npc=npc).reason == "secret"


def test_a_line_that_was_only_just_said_is_a_repetition():
    recent = ["Mind the wet floor.", "The sword costs 40 gold."]
    assert verdict("the sword costs 40 gold", recent=recent) == Verdict("repeat")
    assert verdict("The shield costs 25 gold.", recent=recent).reason == ""


class TestFilters:
    def test_may_refuse_a_line(self):
        assert verdict("Damn it.", filters=StudioFilters((lambda text, npc: None,))) == Verdict("filtered")

    def test_may_change_a_line(self):
        milder = StudioFilters((lambda text, npc: text.replace("Damn", "Oh"),))
        assert verdict("Damn it.", filters=milder) == Verdict("", "Oh it.")

    @pytest.mark.parametrize("changed", ["Old Marten did it.", "The crown!", "..."])
    def test_may_not_make_a_line_that_may_not_be_said(self, changed):
        assert verdict("Damn it.", filters=StudioFilters((lambda text, npc: changed,))) == Verdict("filtered")

    def test_are_told_who_speaks_and_see_good_lines_only(self):
        seen = []
        watching = StudioFilters((lambda text, npc: seen.append((text, npc.id)) or text,))
        verdict("Aye, come in.", filters=watching)
        verdict("The crown!", filters=watching)
        assert seen == [("Aye, come in.", "mira")]

    def test_leave_allowed_phrases_alone_and_so_does_the_ban_list(self):
        allowing = StudioFilters(allowed=("Crown and Anchor",))
        assert verdict("Meet me at the Crown and Anchor.", filters=allowing).reason == ""
        assert verdict("The crown is at the Crown and Anchor.", filters=allowing).reason == "banned"
        assert verdict("The dark old lord.", filters=StudioFilters(allowed=("old",))).reason == ""


class TestDirections:
    def test_are_judged_one_by_one_as_text_is(self):
        context = LineContext.of(MIRA, (), filters=StudioFilters((lambda text, npc: text.replace("nods", "bows"),)))
        found = ["nods", "points at the crown", "thinks of Old Marten"]
        assert judge_directions(found, "Aye.", context) == ("bows",)
        refusing = LineContext.of(MIRA, (), filters=StudioFilters((lambda text, npc: None,)))
        assert judge_directions(["nods"], "Aye.", refusing) == ()

    def test_tell_no_secret_that_the_line_tells_the_other_half_of(self):
        npc = Npc("x", "Ann", "cook", secrets=("the key hangs behind the clock",))
        context = LineContext.of(npc, ())
        assert judge_directions(["looks at the clock"], "Good day.", context) == ("looks at the clock",)
        assert judge_directions(["looks at the clock"], "The key hangs there.", context) == ()
        assert judge_directions(["finds the key", "looks at the clock"], "Aye.", context) == ("finds the key",)


class TestDrafts:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [("The sword costs", "The sword costs"), ("The crown", ""), ("It was Old Marten", ""), ("", "")],
    )
    def test_nothing_is_shown_that_may_not_be_said(self, text, shown):
        assert judge_draft(text, LineContext.of(MIRA, ())) == shown

    def test_a_repetition_may_be_shown_while_it_may_still_end_otherwise(self):
        assert judge_draft("Mind the wet floor.", LineContext.of(MIRA, (), ["Mind the wet floor."]))

    def test_filters_see_drafts_too(self):
        refusing = LineContext.of(MIRA, (), filters=StudioFilters((lambda text, npc: None,)))
        assert judge_draft("Aye", refusing) == ""
        telling = LineContext.of(MIRA, (), filters=StudioFilters((lambda text, npc: "Old Marten",)))
        assert judge_draft("Aye", telling) == ""
