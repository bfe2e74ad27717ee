"""What pinned words cost and give, beside the same wish told in the prompt."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.line import Line
from runtime.palaver import Palaver
from runtime.template import Template
from tools.eval.grading import grade
from tools.eval.heldout import Question, held_out_questions
from tools.eval.report import Share

STEPS = 8


@dataclass(frozen=True, slots=True)
class Wish:
    """A question whose answer has to hold certain words.

    Attributes:
        question: of the held-out stream.
        template: its answer with a gap where the fact stands.
        phrase: the last words of its answer, without the mark behind them.
    """

    question: Question
    template: Template
    phrase: str


def measure_pins(model: Path, questions: int, seed: int) -> dict[str, Any]:
    """Ask the first `questions` of the held-out stream `seed` that ask for a fact, in every way there is."""
    palaver = Palaver(Engine(load_bundle(model)))
    wishes = _wishes(questions, seed)
    rows = [
        _measure(palaver, wishes, way) for way in ("plain", "prompt_template", "template", "prompt_phrase", "phrase")
    ]
    return {"questions": len(wishes), "questions_seed": seed, "steps": STEPS, "ways": rows}


def _wishes(count: int, seed: int) -> list[Wish]:
    wishes: list[Wish] = []
    for question in held_out_questions(4 * count, seed):
        answer, needed = question.exchange.answer, question.exchange.needed
        start = answer.find(needed[0]) if needed else -1
        # Only answers that have words on either side of the fact, and nothing but words.
        if start > 0 and "[" not in answer and answer[start + len(needed[0]) :].strip(" .!?"):
            template = Template.rewriting(answer, start, start + len(needed[0]))
            phrase = " ".join(answer.split()[-2:]).rstrip(".!?")
            wishes.append(Wish(question, Template.parse(str(template).replace(f"={needed[0]}}}", "}")), phrase))
    return wishes[:count]


def _measure(palaver: Palaver, wishes: list[Wish], way: str) -> dict[str, Any]:
    lines = [_ask(palaver, wish, way, seed) for seed, wish in enumerate(wishes, start=1)]
    graded = [grade(wish.question, line.text) for wish, line in zip(wishes, lines, strict=True)]
    held = [_holds(wish, line.text, way) for wish, line in zip(wishes, lines, strict=True)]
    count = len(wishes)
    shares = {
        "held": Share(sum(held), count),
        "grounded": Share(sum(found.grounded for found in graded), count),
        "ill_formed": Share(sum(found.ill_formed for found in graded), count),
        "fallback": Share(sum(line.source == "fallback" for line in lines), count),
    }
    mean_passes = round(sum(line.steps_done + line.canvases - 1 for line in lines) / max(1, count), 2)
    mean_ms = round(sum(line.timings.denoise_ms for line in lines) / max(1, count), 1)
    named = {name: share.to_mapping() for name, share in shares.items()}
    return {"way": way, **named, "mean_passes": mean_passes, "mean_ms": mean_ms}


def _ask(palaver: Palaver, wish: Wish, way: str, seed: int) -> Line:
    exchange = wish.question.exchange
    text = exchange.player
    template: str | None = None
    phrases: tuple[str, ...] = ()
    match way:
        case "template":
            template = str(wish.template)
        case "phrase":
            phrases = (wish.phrase,)
        case "prompt_template":
            shown = wish.template.fill(["..."])
            text = f'{text} Answer in these very words, and fill the gap: "{shown}"'
        case "prompt_phrase":
            text = f'{text} Say a line with the words "{wish.phrase}".'
    return palaver.ask(
        wish.question.npc,
        text,
        seed=seed,
        steps=STEPS,
        history=exchange.history,
        template=template,
        must_include=phrases,
    )


def _holds(wish: Wish, text: str, way: str) -> bool:
    """The words that were wished for are in the line; for a plain question, those of the template."""
    return wish.phrase in text if "phrase" in way else wish.template.texts_in(text) is not None
