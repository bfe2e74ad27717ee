"""Every message survives the wire, and no bytes whatever do more than raise a MessageError."""

from dataclasses import replace

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actions import ActionCall
from runtime.choice import Choice, ChooseRequest
from runtime.errors import PalaverError, RequestError
from runtime.line import Line, Timings
from runtime.messages import (
    MAX_ERROR_CHARS,
    MAX_REQUEST,
    MESSAGES,
    Ask,
    Budget,
    Bye,
    Cancel,
    Cancelled,
    ChoiceReply,
    Choose,
    DraftReply,
    ErrorReply,
    Hello,
    LineReply,
    ModelFacts,
    NpcForget,
    NpcGet,
    NpcLoad,
    NpcPut,
    NpcReply,
    NpcSave,
    NpcSummary,
    Ok,
    Ping,
    Pong,
    PromptGet,
    PromptReply,
    Report,
    Saved,
    Stats,
    Summary,
    Tick,
    Welcome,
    WorldPut,
)
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.wire import MAX_MESSAGE_BYTES, MessageError, decode, encode
from runtime.world import World

MIRA = Npc("smith", "Mira", "blacksmith", "Oakvale", "tired", "gruff", knowledge=("The iron sword costs 40 gold.",))
ASK = {"type": "ask", "request": 2, "npc": {"id": "smith", "name": "Mira", "role": "blacksmith"}, "text": "Hi"}


def nothing_but_the_id(wanted):
    """What is left of a request that is sent by id."""
    npc_id = wanted.npc.id
    return replace(wanted, npc=Npc(npc_id, npc_id, npc_id), history=(), world=World(), summary="")


requests = st.integers(0, MAX_REQUEST)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
said = texts.filter(str.strip)
milliseconds = st.floats(0, 1e9)
some_said = st.lists(said, max_size=4).map(tuple)
npcs = st.builds(
    Npc,
    *[said] * 3,
    *[texts] * 4,
    *[some_said] * 3,
    actions=st.sampled_from([(), ("ring_bell()",), ("give(item: rope|torch)", "pay(gold: 1..9)")]),
    fallbacks=some_said,
    situations=st.dictionaries(said, some_said, max_size=3),
    banned=some_said,
    max_sentences=st.none() | st.integers(1, 20),
    max_chars=st.none() | st.integers(20, 2000),
)
facts = st.lists(said, max_size=3)
worlds = st.dictionaries(
    said, facts | st.fixed_dictionaries({"facts": facts, "budget_tokens": st.integers(0, 100)}), max_size=3
).map(World.from_mapping)
calls = st.builds(ActionCall, said, st.dictionaries(said, texts | st.integers(-(1 << 30), 1 << 30), max_size=3))
lines = st.builds(
    Line,
    text=texts,
    source=st.sampled_from(["model", "draft", "fallback"]),
    finish_reason=st.sampled_from(["stop", "max_tokens", "deadline", "empty", "banned"]),
    seed=requests,
    steps_planned=st.integers(0, 1000),
    steps_done=st.integers(0, 9999),
    canvases=st.integers(0, 99),
    tokens=st.integers(0, 4096),
    rerolls=st.integers(0, 3),
    confidence=st.floats(0, 1),
    deterministic=st.booleans(),
    directions=some_said,
    action=st.none() | calls,
    plain_text=texts,
    timings=st.builds(Timings, milliseconds, milliseconds, milliseconds, milliseconds, milliseconds),
)
asks = st.builds(
    AskRequest,
    npcs,
    said,
    seed=st.none() | requests,
    steps=st.none() | st.integers(1, 1000),
    max_tokens=st.none() | st.integers(1, 4096),
    history=st.lists(st.tuples(said, texts), max_size=4).map(tuple),
    deadline_ms=st.none() | st.integers(1, 600_000),
    priority=st.integers(-10, 10),
    policy=st.sampled_from(["queue", "replace", "reject"]),
    draft_every_ms=st.none() | st.integers(0, 600_000),
    stop_after_steps=st.none() | st.integers(1, 1_000_000),
    deterministic=st.booleans(),
    template=st.sampled_from([None, "Aye, {*}.", "{*2-6=some pelts} {{for}} {*}"]),
    must_include=st.lists(said.filter(lambda text: len(text) < 20), max_size=2).map(tuple),
    situation=st.none() | said,
    escape=st.sampled_from(["plain", "bbcode", "richtext", "yarn", "ink"]),
    world=worlds,
    summary=texts,
)
choices_wanted = st.builds(
    ChooseRequest,
    npcs,
    said,
    st.lists(said, min_size=2, max_size=16).map(tuple),
    history=st.lists(st.tuples(said, texts), max_size=4).map(tuple),
    world=worlds,
    summary=texts,
    deadline_ms=st.none() | st.integers(1, 600_000),
    priority=st.integers(-10, 10),
    policy=st.sampled_from(["queue", "replace", "reject"]),
)
choices = st.builds(
    Choice,
    index=st.integers(0, 15),
    probabilities=st.lists(st.floats(0, 1), min_size=2, max_size=16).map(tuple),
    source=st.sampled_from(["model", "fallback"]),
    finish_reason=st.sampled_from(["stop", "deadline"]),
    timings=st.builds(Timings, milliseconds, milliseconds, milliseconds, milliseconds, milliseconds),
)
asks_by_id = st.builds(
    Ask,
    requests,
    asks.map(nothing_but_the_id),
    by_id=st.just(True),
    record=st.booleans(),
)
counts = st.integers(0, 1 << 40)
messages = st.one_of(
    st.builds(Hello, requests, requests, st.none() | said, st.none() | said),
    st.builds(Ping, requests),
    st.builds(Stats, requests),
    st.builds(NpcPut, requests, npcs),
    st.builds(NpcGet, requests, said),
    st.builds(NpcForget, requests, said),
    st.builds(NpcSave, requests, said),
    st.builds(NpcLoad, requests, said),
    st.builds(Ask, requests, asks, record=st.booleans()),
    asks_by_id,
    st.builds(Choose, requests, choices_wanted),
    st.builds(Choose, requests, choices_wanted.map(nothing_but_the_id), by_id=st.just(True)),
    st.builds(PromptGet, requests, st.builds(AskRequest, npcs, said, world=worlds, summary=texts)),
    st.builds(PromptGet.of_known, requests, said, said),
    st.builds(NpcSummary, requests, said, texts, st.integers(0, 16)),
    st.builds(WorldPut, requests, worlds),
    st.builds(Cancel, requests, requests),
    st.builds(Tick, requests, st.floats(0, 1000)),
    st.builds(Budget, requests, st.floats(0.001, 1), st.floats(1, 1000)),
    st.builds(Bye, requests),
    st.builds(
        Welcome,
        requests,
        requests,
        texts,
        st.sampled_from(["loading", "ready"]),
        st.builds(ModelFacts, texts, requests, texts),
    ),
    st.builds(Pong, requests),
    st.builds(Ok, requests),
    st.builds(NpcReply, requests, npcs),
    st.builds(Saved, requests, said, texts),
    st.builds(Cancelled, requests, requests, st.booleans()),
    st.builds(
        Report,
        requests,
        st.sampled_from(["loading", "ready"]),
        st.floats(0, 1),
        milliseconds,
        *[counts] * 7,
        milliseconds,
        milliseconds,
    ),
    st.builds(DraftReply, requests, texts, requests, requests, requests),
    st.builds(LineReply, requests, lines),
    st.builds(ChoiceReply, requests, choices),
    st.builds(PromptReply, requests, texts, counts, some_said),
    st.builds(Summary, requests, said, texts, st.integers(0, 16)),
    st.builds(ErrorReply, st.none() | requests, texts, texts, texts),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | texts | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def refusal(data):
    """The MessageError that `decode` raises for bytes, or for a map."""
    with pytest.raises(MessageError) as caught:
        decode(data if isinstance(data, bytes) else msgpack.packb(data))
    return caught.value


@given(messages)
def test_every_message_survives_the_wire(message):
    assert decode(encode(message)) == message


def test_the_table_names_every_message_once():
    assert len(set(MESSAGES.values())) == len(MESSAGES) == 30
    assert all(name == kind.type for name, kind in MESSAGES.items())


def test_an_ask_lies_flat_in_its_map_and_leaves_out_what_it_does_not_say():
    sent = msgpack.unpackb(encode(Ask(2, AskRequest(MIRA, "Hi", seed=7, history=(("Hello", "Aye."),)))))
    assert sent == {
        "type": "ask",
        "request": 2,
        "npc": MIRA.to_mapping(),
        "text": "Hi",
        "seed": 7,
        "history": [["Hello", "Aye."]],
    }


def test_an_ask_by_id_has_the_id_in_the_personas_place():
    sent = msgpack.unpackb(encode(Ask.of_known(2, "smith", text="Hi", record=False)))
    assert sent == {"type": "ask", "request": 2, "npc": "smith", "text": "Hi", "record": False}


def test_a_line_lies_flat_in_its_map():
    line = Line("Aye.", "model", "stop", 7, 9, 9, 1, 2, 0, 0.9, True, Timings(0.0, 1.0, 2.0, 3.0, 4.0))
    sent = msgpack.unpackb(encode(LineReply(2, line)))
    assert sent == {"type": "line", "request": 2} | {
        key: value for key, value in line.to_mapping().items() if value not in ((), "", None)
    }
    assert sent["timings"]["total_ms"] == 4.0


def test_optional_fields_may_be_left_out_and_unknown_ones_are_ignored():
    message = decode(msgpack.packb(ASK | {"colour": "red", "deadline": [1, {"a": None}]}))
    assert message == Ask(2, AskRequest(Npc("smith", "Mira", "blacksmith"), "Hi"))


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_message_error(data):
    try:
        decode(data)
    except MessageError as error:
        assert isinstance(error, PalaverError) and error.code and error.hint


@given(messages, st.data())
def test_no_damage_to_a_message_raises_anything_but_a_message_error(message, data):
    sent = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 4))):
        sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode(bytes(sent[: data.draw(st.integers(0, len(sent)))]))
    except MessageError as error:
        assert error.code


@given(st.sampled_from(sorted(MESSAGES)), st.dictionaries(st.sampled_from(sorted(ASK)), anything), messages)
def test_no_field_values_raise_anything_but_a_message_error(name, values, message):
    fields = {**message.to_fields(), **values, "type": name}
    try:
        decode(msgpack.packb(fields))
    except MessageError as error:
        assert error.code


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x93\x01\x02",
        b"\x80\x80",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\x91" * 100_000,
        b"\x81\xa1a" * 100_000,
        b"\x81\xa4type\xa1\xff",
        b"\x81\xa1t\xd6\xff\x00\x00\x00\x00",
        b"\x81\xa1t\xc7\x00\xff",
        b"\x81\x90\x01",
        b"\x82\xa1a\x01\xa1a\x01",
        b"\x81\xa1a" + b"\x91" * 16 + b"\x01",
        b"\x81\x05\x01",
        msgpack.packb({"type": "ping", "request": 1, "blob": b"abc"}),
        msgpack.packb({"type": "ping", "request": 1, "lists": [[0] * 1000] * 20}),
        msgpack.packb(["ping", 1]),
        msgpack.packb("ping"),
        msgpack.packb({"type": "ping", "request": 1, "list": [0] * 5000}),
    ],
    ids=lambda data: data[:24].hex() or "nothing",
)
def test_what_is_no_map_of_plain_values_is_malformed(data):
    assert refusal(data).code == "malformed-message"
    assert refusal(data).request is None


def test_a_message_over_the_limit_is_refused_unread():
    assert refusal(bytes(MAX_MESSAGE_BYTES + 1)).code == "message-too-large"


def test_a_message_over_the_limit_is_not_sent():
    history = (("\U0001f409" * 4000, "\U0001f409" * 4000),) * 40
    with pytest.raises(RequestError, match="at most 1048576 are allowed") as caught:
        encode(Ask(1, AskRequest(MIRA, "Hi", history=history)))
    assert caught.value.code == "message-too-large"


@pytest.mark.parametrize("given_type", ["shout", "", 3, None, ["ask"], "Ask", "x" * 1000])
def test_an_unknown_type_is_named_with_the_known_ones(given_type):
    error = refusal({"type": given_type, "request": 9})
    assert error.code == "unknown-type"
    assert error.request == 9
    assert "cancel" in error.hint
    assert len(error.message) < 100


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"request": -1}, "request is -1"),
        ({"request": 1 << 63}, "request is 9223372036854775808"),
        ({"request": "2"}, "request"),
        ({"request": True}, "request"),
        ({"npc": None}, "npc"),
        ({"npc": {"id": "a", "name": "", "role": "b"}}, "npc.name is empty"),
        ({"npc": ASK["npc"] | {"knowledge": "much"}}, "npc.knowledge"),
        ({"npc": ASK["npc"] | {"knowlege": []}}, "'knowlege'"),
        ({"text": 5}, "text must be text"),
        ({"text": None}, "text must be text"),
        ({"npc": "smith", "history": [["Hello", "Aye."]]}, "history cannot go with the id"),
        ({"npc": "smith", "world": {"time": ["It is evening."]}}, "world cannot go with the id"),
        ({"npc": "smith", "summary": "They met."}, "summary cannot go with the id"),
        ({"npc": ASK["npc"] | {"situations": {"busy": "Later."}}}, "npc.situations.busy"),
        ({"npc": ASK["npc"] | {"max_chars": 19}}, "npc.max_chars is 19"),
        ({"npc": ASK["npc"] | {"actions": ["dance"]}}, "'dance'"),
        ({"template": "{*9"}, "template"),
        ({"template": ""}, "template is empty"),
        ({"must_include": ["a"] * 9}, "must_include has 9 phrases"),
        ({"must_include": "40 gold"}, "must_include must be a list"),
        ({"situation": 5}, "situation must be text"),
        ({"escape": "html"}, "escape is 'html'"),
        ({"world": ["It is evening."]}, "world must be a table"),
        ({"world": {"time": {"fact": []}}}, "unknown key 'fact'"),
        ({"summary": "x" * 4001}, "summary has 4001 characters"),
        ({"record": 1}, "record"),
        ({"sampler": "magic"}, "sampler is 'magic'"),
        ({"text": " "}, "text is empty"),
        ({"text": "a" * 5000}, "text has 5000 characters"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"steps": 0}, "steps"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"history": "hello"}, "history"),
        ({"deadline_ms": 0}, "deadline_ms is 0"),
        ({"priority": 11}, "priority is 11"),
        ({"policy": "shove"}, "policy is 'shove'"),
        ({"policy": 1}, "policy is '1'"),
        ({"draft_every_ms": -1}, "draft_every_ms is -1"),
        ({"history": [["only one"]]}, "history[0]"),
        ({"history": [["a", 1]]}, "history[0][1]"),
    ],
)
def test_a_wrong_field_is_named(change, named):
    error = refusal(ASK | change)
    assert named in error.message
    assert error.code == "bad-request"
    assert error.request == (2 if "request" not in change else None)


@pytest.mark.parametrize("name", ["request", "npc", "text"])
def test_a_missing_field_is_named(name):
    error = refusal({key: value for key, value in ASK.items() if key != name})
    assert f"ask.{name} is missing" in error.message


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "hello", "request": 1},
        {"type": "hello", "request": 1, "protocol": "1"},
        {"type": "cancel", "request": 1, "target": None},
        {"type": "cancel", "request": 1, "target": -5},
        {"type": "welcome", "request": 1, "protocol": 1, "version": "0", "model": []},
        {"type": "line", "request": 1, "text": "Aye."},
        {"type": "budget", "request": 1},
        {"type": "budget", "request": 1, "max_load": "half"},
        {"type": "budget", "request": 1, "max_load": 2.0},
        {"type": "npc.get", "request": 1, "id": " "},
        {"type": "npc.summary", "request": 1, "id": "smith"},
        {"type": "npc.summary", "request": 1, "id": "smith", "text": "x" * 4001},
        {"type": "npc.summary", "request": 1, "id": "smith", "text": "", "keep": 17},
        {"type": "world.put", "request": 1},
        {"type": "world.put", "request": 1, "world": None},
        {"type": "choose", "request": 1, "npc": "smith", "text": "Well?"},
        {"type": "choose", "request": 1, "npc": "smith", "text": "Well?", "options": ["Aye."]},
        {"type": "choose", "request": 1, "npc": "smith", "text": "Well?", "options": ["Aye.", "No."], "summary": "x"},
        {"type": "prompt.get", "request": 1, "npc": "smith"},
        {"type": "prompt.get", "request": 1, "npc": "smith", "text": "Hi", "history": [["Hi", "Aye."]]},
        {"type": "choice", "request": 1, "index": 0, "probabilities": [1.0], "source": "draft"},
        {"type": "prompt", "request": 1, "text": "", "tokens": 1},
        {"type": "summary", "request": 1, "id": "smith", "text": ""},
        {"type": "draft", "request": 1, "text": "Aye"},
        {"type": "error", "request": 1, "code": "busy"},
    ],
)
def test_wrong_fields_of_the_other_messages_are_refused(fields):
    error = refusal(fields)
    assert error.code == "bad-request"
    assert error.request == 1


def test_a_tick_has_no_request():
    assert msgpack.unpackb(encode(Tick(7, 2.5))) == {"type": "tick", "frame": 7, "budget_ms": 2.5}
    assert decode(msgpack.packb({"type": "tick", "frame": 7, "budget_ms": 2})) == Tick(7, 2.0)
    assert "tick.frame is missing" in refusal({"type": "tick", "budget_ms": 2}).message


def test_an_error_reply_always_fits_a_message():
    reply = ErrorReply.of(None, PalaverError("no file \udce9" + "x" * MAX_MESSAGE_BYTES, "hint", code="bad-bundle"))
    assert decode(encode(reply)) == reply
    assert len(reply.message) == MAX_ERROR_CHARS
    assert reply.code == "bad-bundle"
