"""The rule for secrets, and the experiment that it was settled with."""

import tomllib
from pathlib import Path

import pytest

from runtime.secret_rule import SecretRule

DATA = Path(__file__).parent / "data"


def measured(name):
    """Lines that tell a secret and are not found, such lines, lines that tell none and are refused, such lines."""
    missed, telling, wrong, harmless = [], 0, [], 0
    for case in tomllib.loads((DATA / name).read_text(encoding="utf-8"))["case"]:
        rule = SecretRule.of((case["secret"],), case["told"])
        telling, harmless = telling + len(case["tells"]), harmless + len(case["keeps"])
        missed += [line for line in case["tells"] if not rule.is_told_in(line)]
        wrong += [line for line in case["keeps"] if rule.is_told_in(line)]
    return missed, telling, wrong, harmless


def test_the_lines_that_the_rule_was_settled_with():
    """The figures of docs/text.md."""
    missed, telling, wrong, harmless = measured("secrets.toml")
    assert (len(missed), telling, len(wrong), harmless) == (7, 65, 1, 89), (missed, wrong)


def test_lines_that_it_had_never_seen():
    """The figures of docs/text.md."""
    missed, telling, wrong, harmless = measured("secrets_unseen.toml")
    assert (len(missed), telling, len(wrong), harmless) == (9, 48, 1, 58), (missed, wrong)


def tells(secret, line, *told):
    return SecretRule.of((secret,), told).is_told_in(line)


@pytest.mark.parametrize("line", ["4711", "It is 4711!", "47\u200b11", "４７１１"])
def test_a_number_alone_tells(line):
    assert tells("The vault opens with 4711.", line)


@pytest.mark.parametrize("line", ["Swordfish!", "say swordfish", "SWORDFISH"])
def test_a_quoted_word_alone_tells(line):
    assert tells('The password is "swordfish".', line)


def test_a_name_alone_tells_if_it_is_written_as_one():
    assert tells("The thief is Hal Marten.", "Ask Hal about it.")
    assert not tells("The thief is Hal Marten.", "A hal is a kind of stone..")


def test_one_common_word_of_several_does_not():
    assert not tells("The key lies under the old mill.", "I lost my key.")
    assert tells("The key lies under the old mill.", "The key? Under the mill.")


def test_what_is_told_elsewhere_tells_nothing():
    assert not tells("The bridge is broken.", "The bridge is broken.", "Somebody broke the bridge.")


def test_a_secret_without_a_word_of_its_own_cannot_be_told():
    assert not tells("It was you.", "It was you.")


def test_without_secrets_nothing_is_told():
    assert not SecretRule.of((), ("The sword",)).is_told_in("The sword")
