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
    smith = load(tiny_bundle).ask(Npc.from_toml(DEFAULT_NPC), "Hello", seed=7, steps=2, max_tokens=6)
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
    smith = Npc.from_toml(DEFAULT_NPC)
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


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("Hello", "--steps", "0"), 2, "error: steps is 0, out of range. Give 1 to 1000\n"),
        (("Hello", "--seed", "-1"), 2, "error: seed is -1, out of range. Give 0 to 9223372036854775807\n"),
        (("Hello", "--max-tokens", "5000"), 2, "error: max_tokens is 5000, out of range. Give 1 to 4096\n"),
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
    "arguments", [(), ("Hello", "--seed", "seven"), ("Hello", "--sampler", "slow"), ("Hello", "--nonsense")]
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
