"""One question in the terminal: python -m runtime.ask "What do you sell?" """

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from runtime.errors import PalaverError, RequestError
from runtime.hygiene.escapes import ESCAPE_KINDS
from runtime.installation import installation_warning
from runtime.npc import Npc
from runtime.pocket import POCKET_MODEL
from runtime.samplers import DEFAULT_SAMPLER, SAMPLERS
from runtime.world import NO_WORLD, World

BUILT_IN_NPCS = Path(__file__).parent / "npcs"
DEFAULT_NPC = BUILT_IN_NPCS / "smith.toml"

_INTERRUPTED = 130

_EXAMPLES = """\
examples:
  python -m runtime.ask "What do you sell?" --seed 7
  python -m runtime.ask "What is the time?" --npc mira.toml --world village.json
  python -m runtime.ask "Any work for me?" --template "Bring me {*}, and I pay {*}."
  python -m runtime.ask "What do you sell?" --npc mira.toml --show-prompt
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 1 (model or bundle), 2 (bad input), 130 (interrupted)."""
    _use_utf8()
    options = _parser().parse_args(arguments)
    if (warning := installation_warning()) is not None:
        print(f"warning: {warning}", file=sys.stderr)
    try:
        _ask(options)
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, RequestError) else 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _ask(options: argparse.Namespace) -> None:
    npc = Npc.from_file(options.npc)
    world = NO_WORLD if options.world is None else World.from_file(options.world)
    if options.show_prompt:
        _show_prompt(options, npc, world)
        return
    # Loading ONNX Runtime takes a moment: --help and a bad NPC file need not wait for it.
    from runtime.palaver import load
    from runtime.trace import StepTrace, can_dim

    palaver = load(options.model)
    bundle = palaver.engine.bundle
    trace = StepTrace(sys.stderr, bundle.tokenizer, bundle.manifest.generation.eos_token_ids, dim=can_dim(sys.stderr))
    line = palaver.ask(
        npc,
        options.text,
        seed=options.seed,
        steps=options.steps,
        max_tokens=options.max_tokens,
        sampler=options.sampler,
        world=world,
        template=options.template,
        must_include=options.must_include,
        situation=options.situation,
        escape=options.escape,
        on_step=trace if options.trace else None,
    )
    # In the terminal there is no deadline, and one number of steps says it all.
    mapping = {"steps": line.steps_done, **line.to_mapping()}
    print(json.dumps(mapping, ensure_ascii=False) if options.json else line.text)
    if line.action is not None and not options.json:
        print(f"action: {line.action.text}", file=sys.stderr)
    if line.source == "fallback":
        why = f"{line.finish_reason}, {line.rerolls} re-rolls, seed {line.seed}"
        print(f"note: this was written beforehand, the model had no line that may be said ({why})", file=sys.stderr)


def _show_prompt(options: argparse.Namespace, npc: Npc, world: World) -> None:
    from runtime.bundle import load_bundle
    from runtime.prompt import PromptBuilder

    builder = PromptBuilder.of(load_bundle(POCKET_MODEL if options.model is None else options.model))
    prompt = builder.build(npc, options.text, world=world)
    facts = {"tokens": len(prompt.ids), "most_tokens": builder.budget.prompt_tokens, "persona": prompt.stable_length}
    if options.json:
        print(json.dumps({"prompt": prompt.text, **facts, "dropped": prompt.dropped}, ensure_ascii=False))
        return
    print(prompt.text)
    told = "{tokens} tokens of {most_tokens}, of which {persona} are the same for everything this NPC is asked"
    print(f"note: {told.format(**facts)}", file=sys.stderr)
    for part in prompt.dropped:
        print(f"dropped: {part}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m runtime.ask",
        description="Ask an NPC one question and print its line.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("text", help="what the player says")
    who = parser.add_argument_group("who answers, and what is true")
    who.add_argument("--npc", type=Path, default=DEFAULT_NPC, metavar="FILE", help="TOML or JSON (default: a smith)")
    who.add_argument("--world", type=Path, metavar="FILE", help="facts of the game in sections, TOML or JSON")
    who.add_argument("--model", type=Path, metavar="DIR", help="folder of a bundle (default: the pocket model)")
    line = parser.add_argument_group("the line")
    line.add_argument("--template", metavar="TEXT", help="these very words; the model writes each {*} in them")
    line.add_argument("--must-include", action="append", default=[], metavar="PHRASE", help="may be given eight times")
    line.add_argument("--situation", metavar="NAME", help="which of the NPC's fallback lines, if it comes to that")
    line.add_argument("--escape", choices=ESCAPE_KINDS, default="plain", help="who draws the text (default plain)")
    line.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of it (default: the model's)")
    how = parser.add_argument_group("how it is made")
    how.add_argument("--seed", type=int, metavar="N", help="for the same line again (default: random)")
    how.add_argument("--steps", type=int, metavar="N", help="most denoising steps a canvas (default: the model's)")
    how.add_argument("--sampler", choices=list(SAMPLERS), help=f"how noise becomes text (default {DEFAULT_SAMPLER})")
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--show-prompt", action="store_true", help="print what the model would read, and ask nothing")
    shown.add_argument("--json", action="store_true", help="print all that is known of the line, or of the prompt")
    shown.add_argument("--trace", action="store_true", help="show each denoising step on standard error")
    return parser


def _use_utf8() -> None:
    """Windows would write to a pipe in its legacy code page, where most names and quotes do not exist."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
