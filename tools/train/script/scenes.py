"""From samples to the scenes that training packs, and the part of them that it never sees."""

import bisect
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from runtime.markers import remove_markers
from runtime.npc import Npc
from tools.train import tokenizer as tokens
from tools.train.corpus import Exchange, Scene
from tools.train.packing import facts_ids, question_ids
from tools.train.pocket import CANVAS_LENGTH
from tools.train.script.cast import Cast
from tools.train.script.sample import Sample, Script, ScriptError

HELD_OUT_SHARE = 10  # one line in ten
MIN_LINES = 20
MAX_LINE_TOKENS = 2 * CANVAS_LENGTH  # what a line may have at most, see the generation defaults
FACTS_SHARE = 0.6  # of a row; personas that are longer lose their last facts
FORGETTING_SHARE = 0.5  # of exchanges with a turn before, those that are told without it, as a game may ask
UNPROMPTED = "..."  # the player's words before a line that answers nothing


@dataclass(frozen=True, slots=True)
class Parts:
    """Exchanges by persona: those to train on, and those that are held out."""

    training: dict[Npc, list[Exchange]]
    held_out: dict[Npc, list[Exchange]]

    def counts(self) -> tuple[int, int]:
        """Lines of each part."""
        return sum(map(len, self.training.values())), sum(map(len, self.held_out.values()))


def is_held_out(line: str) -> bool:
    """Whether a line belongs to the held-out part: by its own words, whatever stands around it in the script."""
    return zlib.crc32(" ".join(line.casefold().split()).encode("utf-8")) % HELD_OUT_SHARE == 0


def divide(script: Script, cast: Cast, tokenizer: Tokenizer, row_length: int) -> Parts:
    """Sort the samples of a script; what cannot be trained on is counted in `script.left_out`.

    Raises:
        ScriptError: too few lines are left.
    """
    personas = {speaker: _fitting(tokenizer, cast.persona(speaker), row_length) for speaker in speakers(script.samples)}
    rooms = {speaker: row_length - _facts_length(tokenizer, npc) for speaker, npc in personas.items()}
    parts = Parts({}, {})
    for sample in script.samples:
        exchange = _exchange(sample)
        length = len(tokenizer.encode(exchange.answer).ids) + 1
        if not exchange.answer:
            script.left_out["has no words"] += 1
        elif length > MAX_LINE_TOKENS:
            script.left_out[f"is longer than {MAX_LINE_TOKENS} tokens"] += 1
        elif _columns(tokenizer, exchange) > rooms[sample.speaker]:
            script.left_out["answers something too long"] += 1
        else:
            part = parts.held_out if is_held_out(exchange.answer) else parts.training
            part.setdefault(personas[sample.speaker], []).append(exchange)
    training, held_out = parts.counts()
    if training + held_out < MIN_LINES or not (training and held_out):
        raise ScriptError(
            f"the script has {training} lines to train on and {held_out} to hold out",
            f"Give at least {MIN_LINES}; a few hundred make a difference",
        )
    return parts


def _exchange(sample: Sample) -> Exchange:
    """Control tokens that are spelled out in a script would be read as such, and are taken out."""
    said = [remove_markers(text, tokens.SPECIAL_TOKENS).strip() for text in (*sample.context, sample.line)]
    *earlier, answer = said if sample.context else (UNPROMPTED, *said)
    history = ((earlier[0], earlier[1]),) if len(earlier) == 3 else ()
    return Exchange("script", earlier[-1] or UNPROMPTED, answer, (), history)


def _fitting(tokenizer: Tokenizer, npc: Npc, row_length: int) -> Npc:
    """The persona with as many of its facts, from the first on, as there is room for."""

    def length(count: int) -> int:
        return _facts_length(tokenizer, replace(npc, knowledge=npc.knowledge[:count]))

    counts = range(len(npc.knowledge) + 1)
    count = bisect.bisect_right(counts, FACTS_SHARE * row_length, key=length) - 1
    return replace(npc, knowledge=npc.knowledge[: max(0, count)])


def _facts_length(tokenizer: Tokenizer, npc: Npc) -> int:
    return len(facts_ids(tokenizer, Scene(npc, ())))


def _columns(tokenizer: Tokenizer, exchange: Exchange) -> int:
    """Most places that an exchange takes in a row."""
    return len(question_ids(tokenizer, exchange)) + len(tokenizer.encode(exchange.answer).ids) + 1 + CANVAS_LENGTH


def draw_scenes(
    rng: random.Random, tokenizer: Tokenizer, part: dict[Npc, list[Exchange]], row_length: int
) -> list[Scene]:
    """One pass over a part in scenes that fit a row, in another order each time."""
    scenes: list[Scene] = []
    for npc, exchanges in part.items():
        room = row_length - _facts_length(tokenizer, npc)
        chosen: list[Exchange] = []
        free = room
        for exchange in rng.sample(exchanges, len(exchanges)):
            if exchange.history and rng.random() < FORGETTING_SHARE:
                exchange = replace(exchange, history=())
            columns = _columns(tokenizer, exchange)
            if columns > free and chosen:
                scenes.append(Scene(npc, tuple(chosen)))
                chosen, free = [], room
            chosen.append(exchange)
            free -= columns
        scenes.append(Scene(npc, tuple(chosen)))
    rng.shuffle(scenes)
    return scenes


def speakers(samples: Sequence[Sample]) -> dict[str, int]:
    """How many lines each speaker has, most first."""
    counts: dict[str, int] = {}
    for sample in samples:
        counts[sample.speaker] = counts.get(sample.speaker, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))
