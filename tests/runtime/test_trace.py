import io

import numpy as np
import pytest

from runtime.denoise import StepResult
from runtime.job import StepReport
from runtime.trace import StepTrace, can_dim


def report_of(tokenizer, text, accepted, reroll=0):
    ids = np.array(tokenizer.encode(text, add_special_tokens=False).ids, dtype=np.int64)
    result = StepResult(
        step=3,
        temperature=0.6,
        canvas=ids,
        sampled=ids,
        argmax=ids,
        entropy=np.zeros(len(ids), dtype=np.float32),
        accepted=np.array([index in accepted for index in range(len(ids))]),
        next_canvas=ids,
        mean_entropy=1.25,
        stopped=False,
    )
    return StepReport(job_id=1, canvas=0, reroll=reroll, result=result)


def trace_of(tokenizer, report, *, dim):
    stream = io.StringIO()
    end = tokenizer.token_to_id("<turn|>")
    StepTrace(stream, tokenizer, (end,), dim=dim)(report)
    return stream.getvalue()


def test_a_step_is_one_line_with_its_numbers_and_the_draft(byte_level):
    report = report_of(byte_level, "I sell", accepted=range(6))
    assert trace_of(byte_level, report, dim=False) == "canvas 1 step  3  accepted   6/6  entropy  1.250  I sell\n"


def test_a_re_roll_says_so(byte_level):
    assert trace_of(byte_level, report_of(byte_level, "I", {0}, reroll=2), dim=False).startswith(
        "canvas 1 re-roll 2 step"
    )


def test_unsettled_tokens_are_dimmed_or_blank(byte_level):
    report = report_of(byte_level, "I am", accepted={0, 2, 3})
    assert trace_of(byte_level, report, dim=True).endswith("I\x1b[2m \x1b[0mam\n")
    assert trace_of(byte_level, report, dim=False).endswith("I_am\n")


def test_the_draft_ends_at_its_end_token(tokenizer):
    assert trace_of(tokenizer, report_of(tokenizer, "Ay<turn|>zz", range(9)), dim=False).endswith("  Ay\n")


@pytest.mark.parametrize("text", ["剣 の\x1b[31m\n€"])
def test_no_token_can_disturb_the_terminal(tokenizer, text):
    line = trace_of(tokenizer, report_of(tokenizer, text, range(99)), dim=False)
    assert line.rstrip("\n").isprintable() and line.count("\n") == 1
    assert "剣" in line and "€" in line


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_only_a_terminal_that_may_is_dimmed(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("WT_SESSION", "1")
    assert can_dim(Terminal())
    assert not can_dim(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "")
    assert not can_dim(Terminal())
