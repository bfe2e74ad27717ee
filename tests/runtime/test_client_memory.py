"""What the Python client keeps of world, memories and choices, whatever becomes of the sidecar."""

import json

import pytest

from runtime import Npc, PalaverError, RequestError, World
from runtime.client import LinkState, PalaverClient, start_sidecar
from tests.polling import poll_for, poll_until

MIRA = Npc("smith", "Mira", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))
EVENING = World.from_mapping({"time": ["It is evening."]})
OPTIONS = ["Aye.", "No.", "Ask Petra."]
SHORT = {"steps": 4, "max_tokens": 30}
LONG = {"seed": 1, "steps": 1000, "max_tokens": 2000, "sampler": "reference"}


@pytest.fixture(scope="module")
def sidecar(patient_bundle):
    with start_sidecar(patient_bundle) as started:
        yield started


@pytest.fixture
def client(sidecar):
    with PalaverClient(sidecar) as connected:
        connected.put_npc(MIRA)
        connected.ask(MIRA, "Are you there?", steps=1, max_tokens=1)
        yield connected


@pytest.fixture
def observer(sidecar):
    """Sees what the sidecar has done, while the client has read nothing of it."""
    with PalaverClient(sidecar) as connected:
        yield connected


def lines_sent(observer):
    stats = observer.stats()
    return stats.lines_model + stats.lines_draft + stats.lines_fallback


def submit_and_leave_unread(client, observer):
    before = lines_sent(observer)
    request = client.submit("smith", "Hello", seed=1, **SHORT)
    while lines_sent(observer) == before:
        pass
    return request


def memory_of(client):
    return json.loads(client.save_npc("smith"))


def test_save_kill_start_load_and_the_next_line_is_the_same(patient_bundle):
    """What a player does who saves, whose machine goes down, and who loads."""
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(MIRA)
        client.put_world(EVENING)
        client.ask("smith", "Hello", seed=1, **SHORT)
        client.set_summary("smith", "They met at the well.")
        client.ask("smith", "And?", seed=2, **SHORT)
        saved = client.save_npc("smith")
        told = [client.ask("smith", "What do you sell?", seed=seed, record=False, **SHORT).text for seed in range(5)]
        client.submit("smith", "Hello?", **LONG)
        sidecar.process.kill()
        assert sidecar.process.wait(30.0) != 0
    with start_sidecar(patient_bundle) as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(MIRA)
        client.put_world(EVENING)
        client.load_npc(saved)
        again = [client.ask("smith", "What do you sell?", seed=seed, record=False, **SHORT).text for seed in range(5)]
        assert again == told
        assert client.save_npc("smith") == saved
        assert json.loads(saved)["summary"] == "They met at the well."


def test_a_new_sidecar_is_told_of_world_and_summary_before_the_open_asks(patient_bundle):
    with start_sidecar(patient_bundle) as sidecar:
        client = PalaverClient(sidecar)
        client.put_npc(MIRA)
        client.put_world(EVENING)
        client.ask("smith", "Hello", seed=1, **SHORT)
        client.set_summary("smith", "They met at the well.", keep=0)
        line = client.submit("smith", "And?", seed=5, **SHORT)
        choice = client.submit_choice("smith", "Well?", OPTIONS)
        sidecar.process.kill()
        sidecar.process.wait()
        ended = poll_until(client, lambda _: client.state is LinkState.DISCONNECTED)
    with start_sidecar(patient_bundle, port=sidecar.port, secret=sidecar.secret), client:
        ended = dict(ended + poll_for(client, 2 - len(ended)))
        known = {"world": EVENING, "summary": "They met at the well."}
        assert ended[line].text == client.ask(MIRA, "And?", seed=5, **SHORT, **known).text
        history = [("And?", ended[line].text)]
        told = client.choose(MIRA, "Well?", OPTIONS, history=history, **known)
        assert ended[choice].probabilities == told.probabilities
        prompt = client.prompt("smith", "Well?").text
        assert "It is evening." in prompt and "They met at the well." in prompt


def test_a_summary_is_kept_on_both_sides(client):
    client.ask("smith", "Hello", seed=1, **SHORT)
    last = client.ask("smith", "And?", seed=2, **SHORT)
    client.set_summary("smith", "They met at the well.", keep=1)
    assert memory_of(client)["summary"] == "They met at the well."
    assert memory_of(client)["turns"] == [["And?", last.text]]
    prompt = client.prompt("smith", "Well?")
    assert "Earlier: They met at the well." in prompt.text and "Hello" not in prompt.text
    whole = client.prompt(MIRA, "Well?", history=[("And?", last.text)], summary="They met at the well.")
    assert whole.text == prompt.text


def test_what_a_character_remembers_is_replaced_at_once_and_its_choices_are_cancelled(client):
    saved = client.save_npc("smith")
    client.submit("smith", "Hello", **LONG)
    client.submit_choice("smith", "Well?", OPTIONS)
    client.load_npc(saved)
    assert client.ask("smith", "Hello", seed=1, **SHORT).source == "model"
    assert client.poll() == []


def test_a_summary_that_crosses_a_line_stands_for_that_line_on_both_sides(client, observer):
    submit_and_leave_unread(client, observer)
    client.set_summary("smith", "They met at the well.", keep=0)
    assert len(client.poll()) == 1
    assert memory_of(client) == {"palaver_save": 2, "npc": "smith", "summary": "They met at the well.", "turns": []}
    assert "Hello" not in client.prompt("smith", "Well?").text


def test_a_choice_is_made(client):
    choice = client.choose("smith", "Will you?", OPTIONS)
    assert choice.source == "model"
    assert choice.probabilities[choice.index] == max(choice.probabilities)
    assert client.choose(MIRA, "Will you?", OPTIONS).probabilities == choice.probabilities
    assert memory_of(client)["turns"] == []


def test_a_choice_without_a_sidecar_is_the_first_option():
    with PalaverClient(1, wait_s=0.0) as client:
        client.put_npc(MIRA)
        client.put_world(EVENING)
        choice = client.choose("smith", "Will you?", OPTIONS, deadline_ms=1)
    assert (choice.index, choice.source, choice.finish_reason) == (0, "fallback", "unreachable")
    assert sum(choice.probabilities) == pytest.approx(1.0)


def test_a_fallback_that_is_made_here_holds_what_was_settled():
    busy = Npc("smith", "Mira", "blacksmith", situations={"busy": ("Not now!",)}, fallbacks=("Later.",))
    with PalaverClient(1, wait_s=0.0) as client:

        def line(**options):
            return client.ask(busy, "Hello", deadline_ms=1, **options).text

        assert line(situation="busy") == "Not now!"
        assert line(must_include=["40 gold"]) == "Later. 40 gold."
        assert line(template="Bring me {*=some pelts}, {{friend}}.") == "Bring me some pelts, {friend}."


def test_the_prompt_cannot_be_had_without_a_sidecar():
    with PalaverClient(1, wait_s=0.0) as client, pytest.raises(PalaverError) as caught:
        client.prompt(MIRA, "Hello", timeout_s=0.1)
    assert caught.value.code == "timeout"


@pytest.mark.parametrize("given", [{"history": [("Hi", "Aye.")]}, {"summary": "They met."}, {"world": EVENING}])
@pytest.mark.parametrize("call", ["ask", "prompt", "choose"])
def test_what_the_sidecar_knows_by_itself_is_refused_beside_an_id(call, given):
    with PalaverClient(1, wait_s=0.0) as client:
        client.put_npc(MIRA)
        more = [OPTIONS] if call == "choose" else []
        with pytest.raises(RequestError, match="cannot go with the id"):
            getattr(client, call)("smith", "Hello", *more, **given)


def test_a_summary_without_a_sidecar_is_kept_for_the_next_one():
    with PalaverClient(1, wait_s=0.0) as client:
        client.put_npc(MIRA)
        client.set_summary("smith", "They met at the well.")
        assert memory_of(client)["summary"] == "They met at the well."


def test_a_draft_may_tell_a_summary_which_its_own_line_comes_behind(client):
    told = []

    def tell(draft):
        if not told:
            client.set_summary("smith", "They met at the well.", keep=0)
        told.append(draft)

    line = client.ask("smith", "Hello", seed=1, on_draft=tell, **SHORT)
    kept = memory_of(client)
    assert kept["summary"] == "They met at the well."
    prompt = client.prompt("smith", "Well?").text
    assert (kept["turns"] == [["Hello", line.text]]) == ("Hello" in prompt)


@pytest.mark.parametrize("end", ["cancel", "load", "forget"])
def test_a_draft_may_end_its_own_ask(client, end):
    saved = client.save_npc("smith")

    def stop(draft):
        if end == "cancel":
            client.cancel(draft.request)
        elif end == "load":
            client.load_npc(saved)
        else:
            client.forget_npc("smith")

    with pytest.raises(PalaverError) as caught:
        client.ask("smith", "Hello", on_draft=stop, timeout_s=5.0, **LONG)
    assert caught.value.code == "cancelled"
    assert client.poll() == []


def test_a_line_of_before_a_load_is_not_remembered_even_if_its_ask_was_given_up(client, observer):
    saved = client.save_npc("smith")
    client.cancel(submit_and_leave_unread(client, observer))
    client.load_npc(saved)
    client.ping()
    assert client.save_npc("smith") == saved


def test_a_summary_of_the_sidecar_that_was_under_way_at_a_load_does_not_count(patient_bundle, tmp_path, monkeypatch):
    (tmp_path / "village_tales.py").write_text(
        "def tell(summary, turns):\n    return 'They spoke.'\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    turns = [[f"Question {number}?", "Iron and more iron."] for number in range(9)]
    long = json.dumps({"palaver_save": 2, "npc": "smith", "summary": "", "turns": turns})
    arguments = ("--summariser", "village_tales:tell", "--prompt-tokens", "128")
    with start_sidecar(patient_bundle, arguments=arguments) as sidecar, PalaverClient(sidecar) as client:
        client.put_npc(MIRA)
        client.ask(MIRA, "Are you there?", steps=1, max_tokens=1)
        nothing = client.save_npc("smith")
        client.load_npc(long)
        client.ping()
        client.submit("smith", "And?", **LONG)
        with PalaverClient(sidecar) as observer:
            while not observer.stats().open_asks:
                pass
        client.load_npc(nothing)
        client.ping()
        assert client.save_npc("smith") == nothing
        client.load_npc(long)
        client.ask("smith", "And?", seed=5, **SHORT)
        assert memory_of(client)["summary"] == "They spoke."


@pytest.mark.parametrize("given", [EVENING, EVENING.to_mapping()])
def test_a_world_may_be_plain_data(client, given):
    client.put_world(given)
    assert "It is evening." in client.prompt("smith", "Well?").text
    assert "It is evening." in client.prompt(MIRA, "Well?", world=given).text


@pytest.mark.parametrize("given", [None, 7, "evening", ["It is evening."], {"time": "evening"}])
def test_what_is_no_world_is_refused(given):
    with PalaverClient(1, wait_s=0.0) as client, pytest.raises(RequestError, match="world"):
        client.put_world(given)


def test_a_bad_summary_changes_nothing(client):
    client.ask("smith", "Hello", seed=1, **SHORT)
    before = memory_of(client)
    for npc_id, text, keep in (("nobody", "They met.", 4), ("smith", "x" * 4001, 4), ("smith", "They met.", 17)):
        with pytest.raises(RequestError):
            client.set_summary(npc_id, text, keep)
    assert memory_of(client) == before
