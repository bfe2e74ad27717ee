"""How well a bundle says a studio's lines, and how well it still answers from facts."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from tokenizers import Tokenizer

from runtime import load
from runtime.npc import Npc
from tools.eval.grading import grade
from tools.eval.heldout import HELD_OUT_SEED, held_out_questions
from tools.eval.report import Share
from tools.train.bundle_weights import load_pocket_bundle
from tools.train.corpus import Exchange
from tools.train.loss import corrupt
from tools.train.packing import CANVAS, pack
from tools.train.pocket import PackedDenoiser
from tools.train.script.scenes import Parts, draw_scenes

NOISE_DRAWS = 6
_ROWS = 8


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Figures of one bundle.

    Attributes:
        loss: of the held-out lines, in nats a token that had become noise.
        grounded: answers to held-out questions of the corpus that hold the fact asked for.
    """

    loss: float
    grounded: Share


def evaluate(bundle: Path, parts: Parts, questions: int, row_length: int) -> Evaluation:
    """Measure a bundle; the same noise and seeds each time, so that two bundles can be compared."""
    model, tokenizer = load_pocket_bundle(bundle)
    loss = held_out_loss(PackedDenoiser(model.eval()), tokenizer, parts.held_out, row_length)
    return Evaluation(loss, grounding(bundle, questions))


@torch.no_grad()
def held_out_loss(
    denoiser: PackedDenoiser, tokenizer: Tokenizer, part: dict[Npc, list[Exchange]], row_length: int
) -> float:
    """Mean negative log-likelihood of the tokens that had become noise, over several draws of it, in nats."""
    drawn = draw_scenes(random.Random(0), tokenizer, part, row_length)
    total, count = 0.0, 0
    for first in range(0, len(drawn), _ROWS):
        batch = pack(random.Random(first), tokenizer, drawn[first : first + _ROWS], row_length)
        is_canvas, mask = batch.kind == CANVAS, batch.mask()
        target = batch.ids[is_canvas]
        soft = torch.zeros(len(target), denoiser.decoder.embed_tokens.embedding_dim)
        for draw in range(NOISE_DRAWS):
            noise = corrupt(batch, tokenizer.get_vocab_size(), torch.Generator().manual_seed(draw))
            hidden = denoiser.hidden(noise.ids, batch.positions, mask, is_canvas, soft)[is_canvas]
            counted = ((noise.ids != batch.ids) & (batch.is_tail == 0))[is_canvas]
            total += F.cross_entropy(denoiser.logits(hidden[counted]), target[counted], reduction="sum").item()
            count += int(counted.sum())
    return total / max(1, count)


def grounding(bundle: Path, questions: int, seed: int = HELD_OUT_SEED) -> Share:
    """Ask a bundle held-out questions of the corpus, drawn with `seed`; the number of a question is its own seed."""
    palaver = load(bundle)
    hits = asked = 0
    for number, question in enumerate(held_out_questions(questions, seed), start=1):
        if not question.exchange.needed:
            continue
        line = palaver.ask(question.npc, question.exchange.player, seed=number, history=question.exchange.history)
        asked += 1
        hits += grade(question, line.text).grounded
    return Share(hits, asked)
