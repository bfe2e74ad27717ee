"""The core of the Unity package without a network: bytes and values. What is tested stands in the C# files."""

import pytest


@pytest.mark.parametrize("tests", ["WireTests", "ValueTests", "PinTests"])
def test_bytes_and_values(csharp, tests):
    assert csharp.check(tests).count("passed") >= 6


@pytest.mark.parametrize(
    "test",
    [
        "ValidOnesComeBackAsTheSameBytes",
        "WhatThisClientSaysIsCanonical",
        "WhatTheSidecarSaysIsUnderstood",
        "InvalidOnesAreRefused",
    ],
)
def test_the_vectors_of_the_protocol(csharp, vectors, test):
    assert csharp.check(f"VectorTests.{test}", vectors) == f"passed {test}\n"


def test_other_spellings_say_the_same(csharp, accepted):
    csharp.check("VectorTests.WhatIsAcceptedSaysTheSame", accepted)


def test_a_stream_may_come_in_any_pieces(csharp, vectors):
    csharp.check("WireTests.AStreamMayComeInAnyPieces", vectors)
