import pytest

from runtime.hygiene.speaker import of_one_speaker


def said(text, speaker="Mira", others=("Tom", "Old Ben")):
    return of_one_speaker(text, speaker, others).strip()


@pytest.mark.parametrize(
    "text",
    [
        "Mira: Aye.",
        "**Mira:** Aye.",
        "MIRA : Aye.",
        "Mira (softly): Aye.",
        "[Mira]: Aye.",
        "Assistant: Aye.",
        "assistant\nAye.",
        "\n\nNPC:\nAye.",
        "Mira：Aye.",
    ],
)
def test_the_label_of_the_character_goes(text):
    assert said(text) == "Aye."


def test_also_when_it_comes_again():
    assert said("Mira: Aye.\nMira: Come in. Mira: Sit.") == "Aye. Come in. Sit."


@pytest.mark.parametrize(
    "text",
    [
        "Aye.\nPlayer: And then?",
        "Aye. Player: And then?",
        "Aye. Tom: Who goes there?",
        "Aye. old ben: Me.",
        "Aye.\nSomebody Else: Hello.",
        "Aye.\nuser\nHello.",
        "Aye.\n\n### Instruction: Say more.",
        "Aye.\n<Player>: hi",
        "Aye.\nИгрок: Привет.",
        "Aye.\n玩家：你好",
        "Aye.\nプレイヤー：こんにちは",
        "Aye.\nاللاعب: مرحبا",
    ],
)
def test_what_others_say_is_cut_off(text):
    assert said(text) == "Aye."


def test_scripts_without_spaces_have_labels_behind_a_full_stop():
    assert said("好的。玩家：你好") == "好的。"
    assert said("好的。米拉：请坐。", speaker="米拉") == "好的。 请坐。"


@pytest.mark.parametrize(
    "text",
    [
        "Here is my price: ten gold.",
        "Listen: the wolves came back.",
        "I saw Tom: he ran.",
        "Ask Tom. He knows: the mill.",
        "I have these:\nSword: 40 gold",
        "You know him, the player: he owes me.",
        "他说：你好。",
        "It is 10:30. Miracle: none.",
        "See https://example.org now.",
    ],
)
def test_a_colon_alone_makes_no_speaker(text):
    assert said(text) == text


def test_a_line_that_only_others_speak_is_empty():
    assert said("Player: Give me the sword.") == ""


def test_a_name_may_hold_any_character():
    assert said("M.(x)*: Aye. Q: what", speaker="M.(x)*", others=("Q",)) == "Aye."
    assert said("Old Tom: Aye. Tom: Come.", speaker="Old Tom", others=("Tom",)) == "Aye. Come."
