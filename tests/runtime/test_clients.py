import pytest

from runtime import clients
from runtime.clients import MAX_CLIENTS, MAX_NPCS, Clients
from runtime.errors import RequestError
from runtime.memory import Memory
from runtime.npc import Npc
from runtime.world import World

SMITH = Npc("smith", "Mira", "blacksmith")
MEMORY = Memory((("Hello", "Aye."),), "They met at the well.")


def greeted(*names):
    book = Clients()
    for name in names:
        book.greet(name)
    return book


def refused(call, *arguments):
    with pytest.raises(RequestError) as caught:
        call(*arguments)
    return caught.value.code


def test_who_has_not_said_hello_is_not_known():
    book = greeted(b"a")
    book.require(b"a")
    assert b"a" in book and b"b" not in book
    assert refused(book.require, b"b") == "hello-first"


def test_the_client_that_was_silent_for_longest_makes_room():
    names = [str(number).encode() for number in range(MAX_CLIENTS)]
    book = greeted(*names)
    book.require(names[0])
    book.greet(b"one more")
    assert len(book) == MAX_CLIENTS
    assert names[0] in book and names[1] not in book and names[2] in book


def test_a_character_keeps_its_memory_when_its_persona_changes():
    book = greeted(b"a")
    book.put(b"a", SMITH)
    book.set_memory(b"a", "smith", MEMORY)
    book.put(b"a", Npc("smith", "Mira", "blacksmith", mood="happy"))
    known = book.known(b"a", "smith")
    assert (known.npc.mood, known.memory) == ("happy", MEMORY)


def test_a_character_belongs_to_its_client():
    book = greeted(b"a", b"b")
    book.put(b"a", SMITH)
    assert refused(book.known, b"b", "smith") == "unknown-npc"
    assert book.find(b"b", "smith") is None
    assert refused(book.forget, b"b", "smith") == "unknown-npc"
    assert book.npcs == 1


def test_a_second_hello_takes_nothing_away():
    book = greeted(b"a")
    book.put(b"a", SMITH)
    book.greet(b"a")
    assert book.known(b"a", "smith").npc == SMITH


def test_the_memory_of_a_character_that_is_gone_is_dropped():
    book = greeted(b"a")
    book.put(b"a", SMITH)
    book.forget(b"a", "smith")
    assert not book.remember(b"a", "smith", MEMORY)
    book.drop(b"a")
    assert not book.remember(b"a", "smith", MEMORY)
    assert book.npcs == 0
    assert refused(book.set_memory, b"a", "smith", MEMORY) == "unknown-npc"


def test_a_world_belongs_to_its_client_and_is_replaced_as_a_whole():
    evening = World.from_mapping({"time": ["It is evening."]})
    book = greeted(b"a", b"b")
    book.put_world(b"a", World.from_mapping({"time": ["It is noon."], "prices": ["Bread costs 2 gold."]}))
    book.put_world(b"a", evening)
    assert (book.world(b"a"), book.world(b"b"), book.world(b"nobody")) == (evening, World(), World())
    book.drop(b"a")
    assert book.world(b"a") == World()


def test_a_client_has_a_number_of_characters_at_most():
    book = greeted(b"a")
    for number in range(MAX_NPCS):
        book.put(b"a", Npc(str(number), "Guest", "guest"))
    assert refused(book.put, b"a", SMITH) == "too-many-npcs"
    book.put(b"a", Npc("0", "Guest", "guest", mood="happy"))
    book.forget(b"a", "1")
    book.put(b"a", SMITH)


def test_all_texts_together_have_a_limit_and_the_silent_make_room(monkeypatch):
    monkeypatch.setattr(clients, "MAX_REMEMBERED_CHARS", 1000)
    book = greeted(b"silent", b"a")
    book.put(b"silent", Npc("s", "n", "r", knowledge=("x" * 300,)))
    for number in range(2):
        book.put(b"a", Npc(str(number), "n", "r", knowledge=("x" * 300,)))
    assert b"silent" in book
    book.put(b"a", Npc("2", "n", "r", knowledge=("x" * 300,)))
    assert b"silent" not in book
    assert refused(book.put, b"a", Npc("3", "n", "r", knowledge=("x" * 300,))) == "too-many-npcs"
    # What is not a request is not refused, but there is no room for it.
    assert not book.remember(b"a", "0", Memory((("x" * 300, "x" * 300),)))
    assert book.known(b"a", "0").memory == Memory()
    book.forget(b"a", "1")
    assert book.remember(b"a", "0", Memory((("x" * 100, "x" * 100),)))
    assert refused(book.put_world, b"a", World.from_mapping({"news": ["x" * 300]})) == "too-many-npcs"
    assert book.world(b"a") == World()


def test_what_is_taken_out_again_makes_room(monkeypatch):
    monkeypatch.setattr(clients, "MAX_REMEMBERED_CHARS", 500)
    book = greeted(b"a", b"b")
    for _ in range(3):
        book.put_world(b"a", World.from_mapping({"news": ["x" * 300]}))
        book.put(b"a", SMITH)
        book.set_memory(b"a", "smith", Memory(summary="x" * 100))
        book.set_memory(b"a", "smith", Memory())
        book.put_world(b"a", World())
        book.forget(b"a", "smith")
    assert b"b" in book
