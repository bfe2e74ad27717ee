"""What a writer can settle of a line, and what is said where the model has nothing."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.errors import RequestError
from runtime.template import Gap, Pin, Template, completed, templates_of, written_beforehand


class TestParse:
    def test_pins_and_gaps_come_in_their_order(self):
        template = Template.parse("Bring me {*} by {*1-4=nightfall}, or {*3}.")
        assert template.parts == (
            Pin("Bring me "),
            Gap(),
            Pin(" by "),
            Gap(1, 4, "nightfall"),
            Pin(", or "),
            Gap(3, 3),
            Pin("."),
        )

    def test_double_braces_are_braces(self):
        assert Template.parse("{{*}} {*} }}{{").parts == (Pin("{*} "), Gap(), Pin(" }{"))

    def test_a_last_gap_may_stay_empty_where_another_has_words(self):
        assert Template.parse("Aye, {*}").gaps == (Gap(),)
        assert Template.parse("{*}, aye. {*}").gaps == (Gap(), Gap(0))

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("no gap", "0 gaps"),
            ("{*} " + "a {*} " * 16, "17 gaps"),
            ("a } {*}", "character 3: a brace closes"),
            ("a {b} {*}", "character 3: '{b} {*}' begins no gap"),
            ("{*", "character 1"),
            ("{*}{*}", "character 4: two gaps"),
            ("{*} \t {*}", "character 7: two gaps"),
            ("{*0}", "1 to 64 tokens"),
            ("{*65}", "1 to 64 tokens"),
            ("{*6-2}", "the fewest first"),
            ("{*=}", "begins no gap"),
            ("{*=a{b}", "begins no gap"),
            ("a {*=  }", "character 3: a default has words"),
            ("{*\u0663}", "begins no gap"),
        ],
    )
    def test_what_cannot_be_read_is_named_with_its_place(self, text, problem):
        with pytest.raises(RequestError) as error:
            Template.parse(text)
        assert problem in error.value.message

    @given(st.text("ab {}*=-19\u3042\n", max_size=30))
    def test_any_text_is_read_or_refused_and_reads_the_same_again(self, text):
        try:
            template = Template.parse(text)
        except RequestError:
            return
        assert Template.parse(str(template)) == template


class TestFill:
    def test_gap_texts_stand_between_the_pins_as_they_are_written(self):
        assert Template.parse("Bring {*}, {*}!").fill([" pelts ", "now"]) == "Bring pelts, now!"

    def test_a_phrase_is_parted_from_the_words_around_it(self):
        (template,) = templates_of(None, ["40 gold"])
        assert template.fill(["It is", " for you."]) == "It is 40 gold for you."
        assert template.fill(["It is", ", friend."]) == "It is 40 gold, friend."
        assert template.fill(["", "each."]) == "40 gold each."
        assert template.fill(["It is", ""]) == "It is 40 gold."

    def test_scripts_without_spaces_stay_without(self):
        (template,) = templates_of(None, ["四十金币"])
        assert template.fill(["这把剑", "。"]) == "这把剑四十金币。"

    def test_the_texts_are_found_again_in_the_line(self):
        template = Template.parse("Bring {*}, {*}!")
        assert template.texts_in("Bring pelts, now!") == ("pelts", "now")
        assert template.texts_in("Take pelts, now!") is None

    @given(
        st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4), st.text("ab", max_size=12), st.data()
    )
    def test_they_are_those_of_the_shortest_match(self, pins, line, data):
        begin, end = data.draw(st.sampled_from(["", "{*}"])), data.draw(st.sampled_from(["", "{*}"]))
        assume(begin or end or len(pins) > 1)
        template = Template.parse(begin + "{*}".join(pins) + end)
        pattern = "".join(re.escape(part.text) if isinstance(part, Pin) else "(.*?)" for part in template.parts)
        for said in (line, template.fill([line] * len(template.gaps))):
            match = re.fullmatch(pattern, said, re.DOTALL)
            assert template.texts_in(said) == (None if match is None else match.groups())

    def test_no_line_is_looked_through_for_long(self):
        template = Template.parse("{*}e" * 15 + "{*}!")
        assert template.texts_in("e" * 4000 + "?") is None
        assert template.texts_in("e" * 4000 + "!") == ("",) * 15 + ("e" * 3985,)

    def test_how_a_text_is_written_changes_nothing_around_it(self):
        (template,) = templates_of(None, ["40 gold"])
        assert template.fill(["Aye", "VAR x"], lambda text: f"\\{text}") == "\\Aye 40 gold \\VAR x"
        assert template.fill(["Aye", "- now"], lambda text: f"x{text}") == "xAye 40 goldx- now"
        assert template.fill(["\u8fd9", "now"], lambda text: f"{text}x") == "\u8fd9x40 gold nowx"

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("Bring {*}.", "Bring ..."),
            ("Bring {*}...", "Bring ..."),
            ("Bring {*}\u2026", "Bring \u2026"),
            ("Bring {*}!", "Bring ...!"),
            ("Bring {*=so be it.}.", "Bring so be it.."),
        ],
    )
    def test_dots_that_stand_for_words_run_into_those_of_the_pin(self, text, line):
        assert Template.parse(text).defaults() == line

    def test_defaults_stand_where_the_model_has_nothing(self):
        assert Template.parse("Bring {*=pelts} by {*}. {*}").defaults() == "Bring pelts by ... "


class TestRewriting:
    LINE = "Bring me the old {pelts} by noon."

    def test_the_span_is_the_gap_and_its_own_default(self):
        template = Template.rewriting(self.LINE, 9, 17)
        assert template.parts == (Pin("Bring me "), Gap(default="the old"), Pin(" {pelts} by noon."))
        assert template.defaults() == self.LINE
        assert Template.parse(str(template)).defaults() == self.LINE

    @pytest.mark.parametrize(("start", "end"), [(0, 8), (25, 33)])
    def test_it_may_lie_at_either_end(self, start, end):
        assert Template.rewriting(self.LINE, start, end).defaults() == self.LINE

    @pytest.mark.parametrize(("start", "end"), [(8, 9), (5, 5), (9, 4), (-3, 4), (0, 99), (17, 24)])
    def test_a_span_without_words_is_refused(self, start, end):
        with pytest.raises(RequestError):
            Template.rewriting(self.LINE, start, end)


class TestMustInclude:
    def test_a_phrase_splits_a_free_gap(self):
        (template,) = templates_of("Aye, {*} by {*2}.", ["40 gold"])
        assert template.parts[1:4] == (Gap(0), Pin("40 gold", loose=True), Gap(0))

    def test_a_phrase_that_a_pin_holds_is_there_already(self):
        assert templates_of("For 40 gold, {*}", ["40 gold"]) == (Template.parse("For 40 gold, {*}"),)

    def test_every_free_gap_and_either_order_is_a_choice(self):
        assert len(templates_of("{*} or {*}.", ["a"])) == 2
        assert len(templates_of(None, ["a", "b"])) == 2

    def test_a_phrase_that_comes_twice_or_inside_another_is_pinned_once(self):
        (template,) = templates_of(None, ["gold", " 40 gold ", "40 gold", "old"])
        assert template.pins == (Pin("40 gold", loose=True),)
        assert completed("Later.", ["gold", " 40 gold ", "40 gold"]) == "Later. 40 gold."

    def test_without_a_free_gap_there_is_no_place(self):
        with pytest.raises(RequestError, match="no gap that '40 gold'"):
            templates_of("Aye, {*2}.", ["40 gold"])

    def test_nothing_is_settled_without_template_and_phrases(self):
        assert templates_of(None, []) == ()

    def test_an_authored_line_is_completed(self):
        assert completed("Later. ", ["40 gold", "Later"]) == "Later. 40 gold."
        assert completed("Later.", ["Now!"]) == "Later. Now!"
        assert written_beforehand(None, ["40 gold"], "Hm.") == "Hm. 40 gold."
        assert written_beforehand("Aye, {*=so be it.}", ["40 gold"], "Hm.") == "Aye, so be it. 40 gold."
