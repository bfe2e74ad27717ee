"""JSON Lines with an object for each line."""

import pytest


def test_records(told):
    text = (
        '{"speaker": "Mira", "line": "Forty gold.", "context": "How much?"}\n\n'
        '{"character": "Mira", "text": "No.", "context": ["How much?", "Forty gold.", "Thirty?"]}\n'
        '{"speaker": "Player", "line": "Bye."}\n'
        '{"speaker": "Mira", "line": "森へ行くな。", "context": ["Fifty gold.", "Where to?"]}\n'
    )
    assert told("lines.jsonl", text) == [
        ("Mira", ("How much?",), "Forty gold."),
        ("Mira", ("How much?", "Forty gold.", "Thirty?"), "No."),
        ("Mira", ("Where to?",), "森へ行くな。"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"speaker": "M", "line": "Hi."}\n{"speaker": "M"\n', "s.jsonl, line 2: not valid JSON"),
        ('["Hi."]\n', "s.jsonl, line 1: not a JSON object"),
        ('{"speaker": "M", "line": 4}\n', "s.jsonl, line 1: no text under line"),
        ('{"speaker": " ", "line": "Hi."}\n', "s.jsonl, line 1: no text under speaker"),
        ('{"speaker": "M", "line": "Hi.", "context": [1]}\n', "s.jsonl, line 1: context is neither text nor a list"),
    ],
)
def test_records_that_are_none(fault, text, expected):
    assert expected in fault("s.jsonl", text)
