"""Templates in tokens."""

import pytest

from runtime.pins import FREE, Form, GapRun, PinRun, fitted, lay_out, next_canvas, spell, usual_length
from runtime.template import Template

END = 3


def form_of(text, tokenizer):
    return spell(Template.parse(text), tokenizer, frozenset({END}))


def spelled(form, tokenizer):
    return [tokenizer.decode(list(run.ids)).strip() if isinstance(run, PinRun) else None for run in form.runs]


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        ("Bring me {*} by {*2}, or {*}", ["Bring me", None, "by", None, ", or"]),
        ("pre{*}fix", ["pre", None, "fix"]),
        ("\u300c{*}\u300d\u65e5", ["\u300c", None, "\u300d\u65e5"]),
        ("{*3}!", [None, "!"]),
    ],
)
def test_pins_are_spelled_as_in_running_text(text, pins, tokenizer):
    assert spelled(form_of(text, tokenizer), tokenizer) == pins


def test_control_tokens_are_not_pinned(tokenizer):
    form = form_of("Halt<turn|> {*}", tokenizer)
    assert tokenizer.token_to_id("<turn|>") == END
    assert END not in form.runs[0].ids


def test_a_last_gap_of_any_length_is_left_to_the_model(byte_level):
    form = form_of("Aye, {*}", byte_level)
    assert form.open_end and len(form.runs) == 1
    assert not form_of("Aye, {*2}", byte_level).open_end


PINNED = PinRun(0, (11, 12, 13))
BEHIND = PinRun(2, (14,))


def test_a_canvas_holds_pins_gap_and_an_end():
    form = Form(None, (PINNED, GapRun(1, 1, 9), BEHIND), open_end=False)
    here, rest = next_canvas(form, 12)
    layout = lay_out(here, rest, (2,), 8, END)
    assert layout.clamp.ids.tolist() == [11, 12, 13, FREE, FREE, 14, END, END]
    assert layout.part.tolist()[:6] == [0, 0, 0, 1, 1, 2]
    assert (layout.clamp.body, layout.lengths, layout.gaps) == (6, (2,), ((3, 5),))
    assert not layout.rest.runs


def test_behind_an_open_end_nothing_is_settled():
    here, rest = next_canvas(Form(None, (PINNED,)), 6)
    layout = lay_out(here, rest, (), 6, END)
    assert layout.clamp.ids.tolist() == [11, 12, 13, FREE, FREE, FREE]


def test_gaps_are_no_longer_than_there_is_room_for():
    runs = (PINNED, GapRun(1, 1, 9), BEHIND, GapRun(3, 2, 3))
    assert [(gap.fewest, gap.most) for gap in fitted(runs, 10)] == [(1, 4), (2, 3)]
    form = Form(None, runs, open_end=False)
    assert lay_out(form, Form(None, (), False), (9, 3), 10, END).lengths == (3, 3)


@pytest.mark.parametrize("room", range(1, 16))
def test_a_form_goes_over_as_many_canvases_as_it_takes(room):
    form = Form(None, (PINNED, GapRun(1, 1, 9), BEHIND, GapRun(3, 20, 22), PINNED), open_end=False)
    pinned, fewest = [], 0
    while form.runs:
        here, form = next_canvas(form, room)
        assert here.runs
        layout = lay_out(here, form, [gap.fewest for gap in fitted(here.runs, room)], room, END)
        body = layout.clamp.ids[: layout.clamp.body].tolist()
        pinned += [token for token in body if token != FREE]
        fewest += body.count(FREE)
    assert pinned == [11, 12, 13, 14, 11, 12, 13]
    assert fewest == 21


def test_the_usual_length_has_room_for_gaps_and_end():
    assert usual_length(Form(None, (PINNED, GapRun(1, 1, 16), BEHIND), open_end=False)) == 3 + 6 + 1 + 1
    assert usual_length(Form(None, (PINNED,))) == 3 + 6
