"""The files beside the protocol's page are what the sidecar's own code reads and writes."""

import json
from pathlib import Path

import pytest

from runtime.messages import CLIENT_MESSAGES, MESSAGES
from runtime.wire import MessageError, decode, encode
from tools.vectors.__main__ import FILES, text_of

FOLDER = Path(__file__).resolve().parents[3] / "bindings" / "protocol"


def rows(name, **wanted):
    """Rows of a file that have these values, with their names as test ids."""
    found = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return [
        pytest.param(row, id=row["name"]) for row in found if all(row[key] == value for key, value in wanted.items())
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_what_the_command_writes(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == text_of(name), "run python -m tools.vectors"


def test_every_message_has_a_vector_and_every_name_is_there_once():
    vectors = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))
    assert {row["type"] for row in vectors if row["valid"]} == set(MESSAGES)
    assert len({row["name"] for row in vectors}) == len(vectors)


@pytest.mark.parametrize("row", rows("vectors.json", valid=True))
def test_a_valid_message_is_read_and_written_again_in_the_same_bytes(row):
    data = bytes.fromhex(row["hex"])
    message = decode(data)
    assert encode(message) == data
    assert message.type == row["type"]
    assert (row["from"] == "client") == (row["type"] in CLIENT_MESSAGES)


@pytest.mark.parametrize("row", rows("vectors.json", valid=False))
def test_an_invalid_message_is_refused_with_its_code(row):
    with pytest.raises(MessageError) as caught:
        decode(bytes.fromhex(row["hex"]))
    assert caught.value.code == row["code"]


@pytest.mark.parametrize("row", rows("accepted.json"))
def test_what_is_accepted_says_the_same_as_its_canonical_bytes(row):
    data, canonical = bytes.fromhex(row["hex"]), bytes.fromhex(row["canonical"])
    assert data != canonical
    assert decode(data) == decode(canonical)
    assert encode(decode(data)) == canonical
