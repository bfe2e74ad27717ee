"""Bytes that mean a message though nobody has to write them so."""

import struct

from tools.vectors.parts import LINE_FIELDS, ask_of, map_of, nested, put_of

_OPTIONS = """
    seed steps max_tokens history deadline_ms priority policy draft_every_ms stop_after_steps sampler deterministic
    template must_include situation escape world summary record
"""

ACCEPTED: tuple[tuple[str, bytes], ...] = (
    ("every option nil", ask_of(**dict.fromkeys(_OPTIONS.split()))),
    ("options at their defaults", ask_of(priority=0, policy="queue", deterministic=True, record=True)),
    ("more options at their defaults", ask_of(must_include=[], escape="plain", summary="")),
    ("ask by id with an empty history", ask_of(history=[])),
    ("ask by id with an empty world", ask_of(world={})),
    ("persona with nil and empty fields", put_of(place=None, mood="", knowledge=[], fallbacks=None, situations={})),
    ("persona without limits", put_of(language="", secrets=[], max_sentences=None, max_chars=None)),
    ("keep at its default", map_of(type="npc.summary", request=7, id="smith", text="They met.", keep=4)),
    ("section without a budget", map_of(type="world.put", request=7, world={"time": {"facts": ["It is evening."]}})),
    ("budget of a section nil", map_of(
        type="world.put", request=7, world={"time": {"budget_tokens": None, "facts": ["It is evening."]}}
    )),
    ("choose with everything nil", map_of(
        type="choose", request=13, npc="smith", text="Will you?", options=["Aye.", "No."], history=None, world=None,
        summary=None, deadline_ms=None, priority=None, policy=None,
    )),
    ("prompt.get with everything nil", map_of(
        type="prompt.get", request=14, npc="smith", text="Hello", history=None, world=None, summary=None
    )),
    ("secret and client nil", map_of(type="hello", request=1, protocol=1, secret=None, client=None)),
    ("fps at its default", map_of(type="budget", request=1, max_load=0.5, fps=60.0)),
    ("unknown fields", map_of(type="ping", request=1, colour="red", more={"a": [1, None, {"b": 2.5}]})),
    ("fields in another order", map_of(request=1, type="ping")),
    ("depth 16", nested(16)),
    ("list of 1024", b"\x83\xa4type\xa4ping\xa7request\x01\xa1x\xdc\x04\x00" + b"\x00" * 1024),
    ("whole number for a float", map_of(type="tick", frame=1, budget_ms=2)),
    ("float of 32 bits", b"\x83\xa4type\xa4tick\xa5frame\x01\xa9budget_ms\xca" + struct.pack(">f", 2.5)),
    ("request in 64 bits", b"\x82\xa4type\xa4ping\xa7request\xcf" + struct.pack(">Q", 1)),
    ("request in signed 64 bits", b"\x82\xa4type\xa4ping\xa7request\xd3" + struct.pack(">q", 1)),
    ("request in signed 8 bits", b"\x82\xa4type\xa4ping\xa7request\xd0\x01"),
    ("type with a long string head", b"\x82\xa4type\xdb\x00\x00\x00\x04ping\xa7request\x01"),
    ("map with a long head", b"\xdf\x00\x00\x00\x02\xa4type\xa4ping\xa7request\x01"),
    ("line with a new field", map_of(**LINE_FIELDS | {"mood": "tired"})),
    ("line without directions, action and plain text", map_of(
        **LINE_FIELDS | {"directions": [], "action": None, "plain_text": ""}
    )),
)  # fmt: skip
