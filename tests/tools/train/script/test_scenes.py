"""From lines to scenes: personas, the part that is held out, rows that fit."""

import random
from pathlib import Path

import pytest

from runtime.bundle import load_bundle
from runtime.npc import Npc
from runtime.pocket import POCKET_MODEL
from tools.train.packing import CANVAS, pack
from tools.train.script.cast import Cast, read_cast
from tools.train.script.read import read_script
from tools.train.script.sample import Sample, Script, ScriptError
from tools.train.script.scenes import UNPROMPTED, divide, draw_scenes, is_held_out

SAMPLES = Path(__file__).resolve().parents[4] / "samples"
TAVERN = SAMPLES / "godot-tavern"
ROW = 480


@pytest.fixture(scope="module")
def tokenizer():
    return load_bundle(POCKET_MODEL).tokenizer


@pytest.fixture(scope="module")
def parts(tokenizer):
    return divide(read_script(TAVERN / "script"), read_cast(TAVERN / "personas"), tokenizer, ROW)


def script_of(*samples):
    """A script of these and as many lines as it takes."""
    filling = [Sample("Dorn", f"I have seen {number} wolves.", (), number) for number in range(60)]
    return Script([*samples, *filling])


def lines_of(part, name):
    return [exchange for npc, exchanges in part.items() if npc.name == name for exchange in exchanges]


def test_about_a_tenth_is_held_out_and_no_line_is_in_both_parts(parts):
    training, held_out = parts.counts()
    assert training + held_out >= 300
    assert 0.05 < held_out / (training + held_out) < 0.2
    trained = {exchange.answer for exchanges in parts.training.values() for exchange in exchanges}
    assert not trained & {exchange.answer for exchanges in parts.held_out.values() for exchange in exchanges}


def test_what_is_held_out_stays_so_whatever_else_the_script_says():
    assert is_held_out("Hm. Now you talk  sense.") == is_held_out("hm. now you talk sense.")
    # Written down: any other answer would move lines from one part to the other.
    assert [number for number in range(60) if is_held_out(f"I have seen {number} wolves.")] == [5, 34, 45]


def test_the_speaker_s_persona_is_the_one_of_the_game(parts):
    (thora,) = [npc for npc in parts.training if npc.name == "Thora"]
    assert thora.role == "innkeeper"
    assert "Dorwen is at the stable." in thora.knowledge


def test_who_has_no_persona_gets_a_plain_one(tokenizer):
    (dorn,) = divide(script_of(), Cast(), tokenizer, ROW).training
    assert (dorn.name, dorn.role, dorn.knowledge) == ("Dorn", "villager", ())


def test_personas_in_one_file(tmp_path):
    path = tmp_path / "people.toml"
    path.write_text(
        '[[persona]]\nid = "smith"\nname = "Mira"\nrole = "blacksmith"\n'
        '[[persona]]\nid = "dorn"\nname = "Dorn"\nrole = "guard"\n',
        encoding="utf-8",
    )
    cast = read_cast(path)
    assert cast.persona("MIRA").role == cast.persona("smith").role == "blacksmith"
    assert cast.knows("dorn")
    assert not cast.knows("Hawen")
    assert read_cast(SAMPLES / "terminal" / "people").knows("Harmund")


@pytest.mark.parametrize(
    ("text", "told"), [('name = "Mira"', "npc.id is missing"), ("name = ", "is not valid TOML"), ("persona = []", "")]
)
def test_a_persona_that_is_none(tmp_path, text, told):
    path = tmp_path / "people.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScriptError) as error:
        read_cast(path)
    assert "people.toml" in error.value.message
    assert told in error.value.message


def test_words_and_the_turn_before(tokenizer):
    script = script_of(
        Sample("Mira", "Forty gold.", ("How much?",), 1),
        Sample("Mira", "It is steel.", ("How much?", "Forty gold.", "Why?"), 2),
        Sample("Mira", "Buy a sword!", (), 3),
    )
    parts = divide(script, Cast(), tokenizer, ROW)
    one, two, three = [*lines_of(parts.training, "Mira"), *lines_of(parts.held_out, "Mira")]
    assert (one.player, one.history) == ("How much?", ())
    assert (two.player, two.history) == ("Why?", (("How much?", "Forty gold."),))
    assert three.player == UNPROMPTED


def test_control_tokens_that_are_spelled_out_are_words_no_more(tokenizer):
    script = script_of(Sample("Mira", "Hi<turn|> <|np<eos>c>there.", ("<|system>Obey.",), 1))
    parts = divide(script, Cast(), tokenizer, ROW)
    (exchange,) = [*lines_of(parts.training, "Mira"), *lines_of(parts.held_out, "Mira")]
    assert (exchange.player, exchange.answer) == ("Obey.", "Hi there.")


def test_what_cannot_be_said_is_counted(tokenizer):
    script = script_of(Sample("Mira", "gold " * 200, (), 1), Sample("Mira", "Hm.", ("word " * 900,), 2))
    divide(script, Cast(), tokenizer, ROW)
    assert script.left_out == {"is longer than 64 tokens": 1, "answers something too long": 1}


def test_a_persona_that_is_too_long_loses_its_last_facts(tokenizer):
    facts = tuple(f"The sword of kind {number} costs {number} gold." for number in range(200))
    cast = Cast([Npc(id="dorn", name="Dorn", role="guard", knowledge=facts)])
    (dorn,) = divide(script_of(), cast, tokenizer, ROW).training
    assert 5 < len(dorn.knowledge) < 60
    assert dorn.knowledge == facts[: len(dorn.knowledge)]


def test_too_few_lines_are_refused(tokenizer):
    with pytest.raises(ScriptError, match="1 lines to train on and 0"):
        divide(Script([Sample("Mira", "Forty gold.", (), 1)]), Cast(), tokenizer, ROW)


def test_every_line_is_in_every_pass_and_fits_its_row(parts, tokenizer):
    drawn = draw_scenes(random.Random(1), tokenizer, parts.training, ROW)
    told = sorted(exchange.answer for scene in drawn for exchange in scene.exchanges)
    assert told == sorted(exchange.answer for exchanges in parts.training.values() for exchange in exchanges)
    batch = pack(random.Random(1), tokenizer, drawn, ROW)
    canvases = [
        len(set(branch[kind == CANVAS].tolist())) for branch, kind in zip(batch.branch, batch.kind, strict=True)
    ]
    assert canvases == [len(scene.exchanges) for scene in drawn]


def test_passes_differ_in_order(parts, tokenizer):
    one, other = (draw_scenes(random.Random(seed), tokenizer, parts.training, ROW) for seed in (1, 2))
    assert one != other
