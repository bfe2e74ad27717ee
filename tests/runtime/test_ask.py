"""The command, in process where its text matters and in a process of its own where the process does."""

import json
import os
import signal
import subprocess
import sys

import pytest

from runtime import load
from runtime.ask import DEFAULT_NPC, main
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.world import World


@pytest.fixture
def ask(tiny_bundle, capsys):
    """Run the command with the tiny model and return (exit code, standard output, standard error)."""

    def run(*arguments):
        code = main(["--model", str(tiny_bundle), *arguments])
        return code, *capsys.readouterr()

    return run


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "runtime.ask", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        **options,
    )


def test_the_answer_is_one_line(ask, tiny_bundle):
    code, out, err = ask("Hello", "--seed", "7", "--steps", "2", "--max-tokens", "6")
    assert (code, err) == (0, "")
    smith = load(tiny_bundle).ask(Npc.from_file(DEFAULT_NPC), "Hello", seed=7, steps=2, max_tokens=6)
    assert out == smith.text + "\n"


def test_the_sampler_can_be_chosen(ask):
    arguments = ("Hello", "--json", "--seed", "7", "--steps", "4", "--max-tokens", "16", "--sampler")
    canvases = {name: json.loads(ask(*arguments, name)[1])["canvases"] for name in ("reference", "fast")}
    # The tiny model's canvas has 16 tokens, and the fast sampler's half of that.
    assert canvases == {"reference": 1, "fast": 2}


def test_json_has_all_that_is_known_of_the_line(ask):
    code, out, _ = ask("Hello", "--json", "--seed", "7", "--steps", "2", "--max-tokens", "6")
    line = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert line["seed"] == 7 and line["tokens"] <= 6
    assert line["timings"]["total_ms"] >= line["timings"]["denoise_ms"] > 0


def test_the_same_seed_in_two_processes_and_in_a_longer_session(ask, tiny_bundle):
    arguments = ("--model", tiny_bundle, "What do you sell?", "--seed", "7", "--steps", "3", "--max-tokens", "20")
    texts = []
    for process in [command(*arguments, "--json") for _ in range(2)]:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        texts.append(json.loads(out)["text"])
    palaver = load(tiny_bundle)
    smith = Npc.from_file(DEFAULT_NPC)
    for question in ("Hello", "Where is Tomas?"):
        palaver.ask(smith, question, steps=2, max_tokens=9)
    texts.append(palaver.ask(smith, "What do you sell?", seed=7, steps=3, max_tokens=20).text)
    assert len(set(texts)) == 1


def test_trace_shows_each_step_on_standard_error(ask):
    code, out, err = ask("Hello", "--trace", "--json", "--seed", "7", "--steps", "3", "--max-tokens", "6")
    line = json.loads(out)
    steps = [text for text in err.splitlines() if text.startswith("canvas 1")]
    assert code == 0 and len(steps) == line["steps_done"]
    assert "step  3  accepted" in steps[0]


def test_another_persona_is_asked_with_a_file(ask, tmp_path):
    path = tmp_path / "edda ü.toml"
    path.write_text('id = "g"\nname = "Edda"\nrole = "guard"\n', encoding="utf-8")
    assert ask("Hello", "--npc", str(path), "--steps", "1", "--max-tokens", "2")[0] == 0


@pytest.fixture
def village(tmp_path):
    path = tmp_path / "village.json"
    path.write_text('{"time": ["It is evening."], "prices": ["Ale costs 1 gold."]}', encoding="utf-8")
    return str(path)


def test_the_prompt_is_shown_as_the_model_gets_it(ask, village, tiny_bundle):
    code, out, err = ask("Hello", "--world", village, "--show-prompt")
    engine = load(tiny_bundle).engine
    world = World.from_mapping({"time": ["It is evening."], "prices": ["Ale costs 1 gold."]})
    assert (code, out) == (0, engine.prompt(AskRequest(Npc.from_file(DEFAULT_NPC), "Hello", world=world)).text + "\n")
    assert "\nIt is evening.\nAle costs 1 gold." in out
    assert err.startswith("note: ")


def test_and_what_did_not_fit_into_it(ask, tmp_path):
    path = tmp_path / "npc.json"
    knowledge = [f"Fact number {number} is a rather long one." for number in range(256)]
    path.write_text(json.dumps({"id": "g", "name": "Edda", "role": "guard", "knowledge": knowledge}), encoding="utf-8")
    _, out, err = ask("Hello", "--npc", str(path), "--show-prompt")
    _, told, _ = ask("Hello", "--npc", str(path), "--show-prompt", "--json")
    told = json.loads(told)
    assert told["prompt"] == out.removesuffix("\n")
    assert told["tokens"] <= told["most_tokens"] and 0 < told["persona"] < told["tokens"]
    assert [f"dropped: {part}" for part in told["dropped"]] == err.splitlines()[1:]
    assert told["dropped"][-1] == "knowledge: Fact number 255 is a rather long one."


def test_what_is_true_in_the_game_changes_the_line(village, capsys):
    # With the pocket model: a random one hardly looks so far back.
    told = []
    for more in ([], ["--world", village]):
        assert main(["How much is the ale?", "--json", "--seed", "7", *more]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0]["confidence"] != told[1]["confidence"]


def test_words_can_be_given_to_the_line(ask):
    _, out, _ = ask("Hello", "--seed", "7", "--steps", "2", "--template", "Bring me {*=that}, or go.")
    assert out.startswith("Bring me ") and out.endswith(", or go.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("Hello", "--steps", "0"), 2, "error: steps is 0, out of range. Give 1 to 1000\n"),
        (("Hello", "--seed", "-1"), 2, "error: seed is -1, out of range. Give 0 to 9223372036854775807\n"),
        (("Hello", "--max-tokens", "5000"), 2, "error: max_tokens is 5000, out of range. Give 1 to 4096\n"),
        (
            ("Hello", "--world", "no.json"),
            2,
            "error: no.json cannot be read (No such file or directory). Check the path",
        ),
        (("Hello", "--template", "{"), 2, "error: template"),
        ((" ",), 2, "error: text is empty. Give text at least one character that is not a space\n"),
        (("Hello", "--npc", "no.toml"), 2, "error: no.toml cannot be read (No such file or directory). Check the path"),
        (
            ("Hello", "--model", "no-model"),
            1,
            "error: no-model is not a folder. Give the folder that holds bundle.json\n",
        ),
    ],
)
def test_errors_are_one_line_and_an_exit_code(ask, arguments, code, complaint):
    found_code, out, err = ask(*arguments)
    assert (found_code, out) == (code, "")
    assert err.startswith(complaint) and err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("Hello", "--seed", "seven"),
        ("Hello", "--sampler", "slow"),
        ("Hello", "--escape", "html"),
        ("Hello", "--nonsense"),
    ],
)
def test_a_malformed_command_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as exited:
        main(arguments)
    assert exited.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_output_is_utf_8_whatever_the_locale_says(tmp_path):
    """A pipe in the C locale or on Windows would otherwise refuse letters beyond its code page."""
    path = tmp_path / "npc.toml"
    path.write_text('id = "g"\n"möod" = "剣"\n', encoding="utf-8")
    process = command("Hello", "--npc", path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "unknown key 'möod'" in err


@pytest.mark.skipif(os.name == "nt", reason="Windows delivers Ctrl-C to a whole console, the test runner included")
def test_ctrl_c_ends_it_quietly(tiny_bundle):
    process = command("Hello", "--model", tiny_bundle, "--trace", "--steps", 1000, "--max-tokens", 4000)
    assert process.stderr.readline().startswith("canvas 1")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
