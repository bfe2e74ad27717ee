"""The sample game, played in a real Godot against a real sidecar with the pocket model."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.bindings.godot.conftest import complaints_in
from tests.samples.png import colours, read_png

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = ROOT / "samples" / "terminal" / "people"
PERSONAS = ROOT / "samples" / "godot-tavern" / "personas"
NPCS = ["guard", "hunter", "merchant", "innkeeper"]
GONE_WITHIN_S = 10.0

ends_processes = pytest.mark.skipif(sys.platform == "win32", reason="ends processes by POSIX signals")


def told(output):
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def is_running(pid):
    """Whether a process is there and no zombie, which nobody may have buried yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def is_gone(pid):
    ends = time.monotonic() + GONE_WITHIN_S
    while is_running(pid) and time.monotonic() < ends:
        time.sleep(0.02)
    return not is_running(pid)


def assert_clean(stderr):
    """Godot ends with 0 whatever goes wrong in a script: only what it says tells."""
    assert not complaints_in(stderr.splitlines()), stderr


@pytest.fixture(scope="module")
def evening(tavern):
    """One scripted play: what it told, its exit code and its error output."""
    done = tavern.run("--play")
    assert done.returncode == 0, done.stdout + done.stderr
    return told(done.stdout), done.stderr


def step(facts, name):
    (found,) = [fact for fact in facts if fact["step"] == name]
    return found


def test_the_evening_goes_by_without_an_error(evening):
    facts, stderr = evening
    assert facts[-1] == {"step": "quit"}
    assert_clean(stderr)


def test_everybody_answers_from_the_model(evening):
    facts, _ = evening
    answers = [fact for fact in facts if fact["step"] == "answered"]
    assert [answer["npc"] for answer in answers] == [*NPCS, "guard"]
    assert all(answer["text"] and answer["source"] == "model" for answer in answers)
    assert answers[-1]["asked"] == "Who are you?"


def test_balloons_get_drafts_to_show(evening):
    facts, _ = evening
    assert sum(fact["drafts"] for fact in facts if fact["step"] == "drafted") > 0


def test_a_cancelled_ask_brings_no_line(evening):
    facts, _ = evening
    assert step(facts, "cancelled") == {"step": "cancelled", "npc": "guard", "lines": 0, "still_asking": False}


def test_a_rumour_is_known_while_it_goes_round(evening):
    facts, _ = evening
    assert step(facts, "rumour")["known"] == [False, True, False]
    assert step(facts, "rumoured")["text"]


def test_after_loading_the_same_seed_gives_the_same_line(evening):
    facts, _ = evening
    saved, grown, loaded = (step(facts, name)["turns"] for name in ("saved", "grown", "loaded"))
    assert (grown, loaded) == (saved + 1, saved)
    before, after = step(facts, "after_save"), step(facts, "after_load")
    assert (before["text"], before["seed"]) == (after["text"], after["seed"])


def test_a_sidecar_that_is_killed_mid_talk_costs_no_line(evening):
    facts, _ = evening
    hasty, patient, restarted = (step(facts, name) for name in ("hasty", "patient", "restarted"))
    fallbacks = tomllib.loads((PEOPLE / "guard.toml").read_text(encoding="utf-8"))["fallbacks"]
    assert hasty["source"] == "fallback"
    assert hasty["text"] in fallbacks
    assert patient["source"] == "model"
    assert restarted["sidecar"] not in (0, restarted["killed"])


def test_the_overlay_tells_how_things_stand(evening):
    facts, _ = evening
    figures = step(facts, "overlay")["figures"]
    assert "sidecar  ready, pid " in figures
    assert "budget   4.0 ms a frame" in figures


@ends_processes
def test_the_sidecar_ends_with_the_game(evening):
    facts, _ = evening
    restarted = step(facts, "restarted")
    assert is_gone(restarted["killed"])
    assert is_gone(restarted["sidecar"])


@ends_processes
def test_the_sidecar_ends_when_the_game_is_killed(tavern):
    with tavern.start("--play") as playing:
        ready = json.loads(next(line for line in playing.stdout if line.startswith("{")))
        assert is_running(ready["sidecar"])
        os.kill(ready["game"], signal.SIGKILL)
        assert is_gone(ready["sidecar"])
        playing.communicate(timeout=30)
    assert playing.returncode != 0


def test_a_picture_of_the_tavern_shows_people_who_talk(tavern, screen, tmp_path):
    done = tavern.run("--screenshot", str(tmp_path / "tavern.png"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert_clean(done.stderr)
    facts = told(done.stdout)
    assert [fact["npc"] for fact in facts if fact["step"] == "answered"] == NPCS[:3]
    picture = read_png(tmp_path / "tavern.png")
    assert picture.shape[:2] == (720, 1280)
    assert len(colours(picture)) > 10_000
    for left, top, right, bottom in step(facts, "pictured")["balloons"]:
        balloon = picture[top:bottom, left:right].astype(int)
        assert (balloon.min(axis=2) > 190).mean() > 0.5, "paper"
        assert (balloon.max(axis=2) < 90).mean() > 0.02, "ink"


def test_the_bench_tells_what_a_frame_costs(tavern):
    done = tavern.run("--bench", "--json", "--pairs", "1", "--frames", "40")
    assert done.returncode == 0, done.stdout + done.stderr
    assert_clean(done.stderr)
    measured = json.loads(done.stdout)
    assert measured["lines"] > 0
    for kind in ("idle", "talking"):
        assert measured[kind]["frames"] == 40
        assert 0.0 < measured[kind]["median_ms"] <= measured[kind]["p99_ms"]
    assert measured["difference"].keys() == {"median_ms", "p99_ms"}


def test_a_godot_that_is_none_is_one_line(tmp_path):
    command = [sys.executable, ROOT / "samples" / "godot-tavern" / "run.py", "--godot", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert str(tmp_path / "none") in done.stderr


@pytest.mark.parametrize("npc", NPCS)
def test_the_same_people_sit_in_the_terminal(npc):
    persona = (PERSONAS / f"{npc}.tres").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^(\w+) = "(.*)"$', persona, re.M))
    lists = re.findall(r"^(\w+) = PackedStringArray\((.*)\)$", persona, re.M)
    fields |= {name: json.loads(f"[{items}]") for name, items in lists}
    assert fields == tomllib.loads((PEOPLE / f"{npc}.toml").read_text(encoding="utf-8"))
