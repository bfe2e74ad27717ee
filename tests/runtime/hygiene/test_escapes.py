import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.hygiene.escapes import ESCAPE_KINDS, escape

MARKUP = '[b]{x} <i>#tag</i> -> a|b \\ // ~ "q"'


@pytest.mark.parametrize("kind", ESCAPE_KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "Aye, ten gold: no less!",
        "四十金币。",
        "いらっしゃい！",
        "Сорок золотых.",
        "أربعون ذهبًا.",
        "👩‍🚒 ❤️",
        "“Aye” – ‘no’…",
    ],
)
def test_ordinary_text_needs_no_escape(kind, text):
    assert escape(text, kind) == text


@pytest.mark.parametrize(
    ("kind", "escaped"),
    [
        ("plain", MARKUP),
        ("bbcode", '[lb]b]{x} <i>#tag</i> -> a|b \\ // ~ "q"'),
        ("richtext", '[b]{x} <noparse><</noparse>i>#tag<noparse><</noparse>/i> -> a|b \\ // ~ "q"'),
        ("yarn", '\\[b\\]{x} <i>#tag</i> -> a|b \\\\ // ~ "q"'),
        ("ink", '\\[b\\]\\{x\\} \\<i\\>\\#tag\\<\\/i\\> -\\> a\\|b \\\\ \\/\\/ \\~ \\"q\\"'),
    ],
)
def test_each_engine_has_its_own(kind, escaped):
    assert escape(MARKUP, kind) == escaped


@pytest.mark.parametrize("text", ["* one", "+ two", "- three", "== knot", "TODO: write", "VAR x", "INCLUDE y"])
def test_in_ink_a_line_begins_with_text(text):
    assert escape(text, "ink") == f"\\{text}"


@given(st.text(alphabet='ab[]<>\\/{}|#~"-=lb noparse', max_size=40))
def test_engines_read_back_what_was_said(text):
    assert escape(text, "bbcode").replace("[lb]", "\0").count("[") == 0
    assert escape(text, "bbcode").replace("[lb]", "[") == text
    assert escape(text, "richtext").replace("<noparse><</noparse>", "\0").replace("\0", "<") == text
    assert re.sub(r"\\(.)", r"\1", escape(text, "yarn")) == text
    assert re.sub(r"\\(.)", r"\1", escape(text, "ink")) == text
    assert not re.search(r"(?<!\\)(?:\\\\)*\[", escape(text, "yarn"))
    assert not re.search(r"(?<!\\)(?:\\\\)*[{}|#<>/~]", escape(text, "ink"))
