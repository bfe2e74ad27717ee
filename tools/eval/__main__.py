"""`python -m tools.eval`: ask the held-out questions, grade the lines, report."""

import argparse
import json
import sys
from pathlib import Path

from runtime import load
from runtime.errors import PalaverError
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS
from tools.eval.distinct import SEEDS, count_distinct, summarise_distinct
from tools.eval.grading import grade
from tools.eval.heldout import held_out_questions
from tools.eval.report import Answered, as_text, summarise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.eval",
        description="Ask a model questions about people, towns and facts that training never saw, and grade its lines.",
        epilog="grounded: the fact asked for is in the line; grounded_open: where the game made up what it is about; "
        "grounded_later: where there were turns before. betrayed: a secret was asked for, and told. "
        "out_of_character: opens as another mood or manner would, or names another mood. "
        "invented: a name or number that is not in the prompt. "
        "misspelt: another word that is neither in the corpus nor in the prompt. "
        "ill_formed: not made of whole sentences, or it repeats itself. "
        "repeated: a line about a fact that was said to an earlier question, word for word.",
    )
    parser.add_argument("--model", type=Path, help="folder of the bundle (default: the pocket model)")
    parser.add_argument("--lines", type=int, default=500, help="questions to ask (default 500)")
    parser.add_argument("--steps", type=int, default=16, help="most denoising steps a canvas (default 16)")
    parser.add_argument("--sampler", choices=list(SAMPLERS), default=DEFAULT_SAMPLER, help="(default: %(default)s)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N questions with their lines")
    parser.add_argument(
        "--distinct",
        type=int,
        default=0,
        metavar="N",
        help=f"ask the first N questions with {SEEDS} seeds each, too, and count different lines",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def main() -> None:
    """Parse the command line, ask, grade, report."""
    arguments = _parser().parse_args()
    try:
        palaver = load(arguments.model)
    except PalaverError as error:
        raise SystemExit(f"error: {error}") from None
    answers: list[Answered] = []
    for number, question in enumerate(held_out_questions(arguments.lines), start=1):
        exchange = question.exchange
        # The number is the seed: the evaluation gives the same figures again.
        line = palaver.ask(
            question.npc,
            exchange.player,
            seed=number,
            steps=arguments.steps,
            history=exchange.history,
            sampler=arguments.sampler,
        )
        answers.append(Answered(question, line, grade(question, line.text)))
        if number <= arguments.show:
            verdict = answers[-1].grade
            wanted = f"  (wanted: {', '.join(exchange.needed)})" if verdict.asked and not verdict.grounded else ""
            odd = f"  (odd: {', '.join(verdict.invented + verdict.misspelt)})" * bool(
                verdict.invented + verdict.misspelt
            )
            print(f"{exchange.player}\n    {line.text}{wanted}{odd}", file=sys.stderr)
        if number % 100 == 0:
            print(f"{number} of {arguments.lines} lines", file=sys.stderr)
    report = {"sampler": arguments.sampler, "steps": arguments.steps, **summarise(answers)}
    if arguments.distinct:
        questions = held_out_questions(arguments.distinct)
        counts = [count_distinct(palaver, question, arguments.steps, arguments.sampler) for question in questions]
        report["distinct"] = summarise_distinct(counts)
    print(json.dumps(report) if arguments.json else as_text(report))


if __name__ == "__main__":
    main()
