"""What each sampler makes of 4 to 32 steps: the worth of its lines, of its drafts, and the passes of the model."""

from pathlib import Path
from typing import Any

from runtime.bundle import load_bundle
from runtime.engine import Engine
from runtime.palaver import Palaver
from runtime.samplers import SAMPLERS
from tools.eval.drafts import CutLine, CutWatch, summarise_drafts
from tools.eval.grading import grade
from tools.eval.heldout import Question, held_out_questions
from tools.eval.report import Answered, summarise

STEPS = (4, 8, 16, 32)


def measure_samplers(model: Path, questions: int, seed: int) -> dict[str, Any]:
    """Ask each sampler the first questions of the held-out stream `seed`, with each number of steps."""
    palaver = Palaver(Engine(load_bundle(model)))
    asked = held_out_questions(questions, seed)
    lines, drafts = [], []
    for sampler in SAMPLERS:
        for steps in STEPS:
            named = {"sampler": sampler, "steps": steps}
            report, of_drafts = _measure(palaver, asked, sampler, steps)
            lines.append(named | report)
            drafts.append(named | of_drafts)
    return {"questions": questions, "questions_seed": seed, "lines": lines, "drafts": drafts}


def _measure(
    palaver: Palaver, questions: list[Question], sampler: str, steps: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    eos_token_ids = frozenset(palaver.engine.bundle.manifest.generation.eos_token_ids)
    answers: list[Answered] = []
    cut_lines: list[CutLine] = []
    passes = positions = 0
    for number, question in enumerate(questions, start=1):
        exchange, watch = question.exchange, CutWatch(eos_token_ids)
        line = palaver.ask(
            question.npc,
            exchange.player,
            seed=number,
            steps=steps,
            history=exchange.history,
            sampler=sampler,
            on_step=watch.on_step,
            on_draft=watch.on_draft,
        )
        answers.append(Answered(question, line, grade(question, line.text)))
        cut_lines.append(CutLine(question, line, tuple(watch.cuts)))
        # Each canvas but the last was encoded too.
        passes += line.steps_done + line.canvases - 1
        positions += watch.positions
    report = summarise(answers)
    kept = ("grounded", "invented", "misspelt", "ill_formed", "empty", "repeated", "mean_tokens")
    count = max(1, len(questions))
    return (
        {
            **{key: report[key] for key in kept},
            "mean_passes": round(passes / count, 2),
            "mean_positions": round(positions / count, 1),
        },
        summarise_drafts(cut_lines),
    )
