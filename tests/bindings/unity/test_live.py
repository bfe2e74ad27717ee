"""The C# client and a real sidecar with the pocket model."""

import json

import pytest

from tests.bindings.unity.conftest import TESTS, CSharp, sources
from tools.conversation import hold_conversation


def test_the_conversation_has_the_same_texts_in_every_client(mono, core_sources, live_sidecar, tmp_path):
    program = tmp_path / "conversation.exe"
    mono.compile([*sources(TESTS / "conversation"), *core_sources], program)
    printed = CSharp(mono, program).check(live_sidecar.port, env=live_sidecar.env)
    texts = [json.loads(line) for line in printed.splitlines()]
    assert texts == hold_conversation(live_sidecar.port, live_sidecar.env["PALAVER_SECRET"])
    assert len(set(texts)) > len(texts) // 2


@pytest.mark.parametrize(
    "test",
    [
        "ALineComesWithDraftsAndAgainFromItsSeed",
        "ACancelledAskLeavesRoomForTheNext",
        "WhatWasSaidIsPartOfTheNextPrompt",
        "TwoClientsKnowNothingOfEachOther",
        "KnowledgeThatDoesNotFitIsLeftOut",
        "PinnedWordsAndChoicesComeFromTheModel",
        # Last: ticks and budgets are the whole sidecar's.
        "ComputeHappensInsideTicksOnly",
    ],
)
def test_a_client_and_its_sidecar(csharp, live_sidecar, test):
    csharp.check(f"LiveTests.{test}", live_sidecar.port, env=live_sidecar.env)
