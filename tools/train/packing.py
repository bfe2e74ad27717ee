"""Scenes packed into rows: the persona once, then every exchange of the scene as a branch of its own.

    row:  facts | question 1, line 1 | question 2, line 2 | ... | canvas 1 | canvas 2 | ...

A branch sees the facts and itself, never another branch, and its positions go on where the facts end. So each exchange
is trained exactly as if it stood alone behind its prompt, but a persona of seventy tokens is encoded once for six of
them.
The causal text of a branch (question and line) trains the encoder as a language model; the canvas of a branch sees the
question but not the line that it has to find. Where a line is longer than its canvas, the canvas holds the first part
of it, or what follows, and then it sees the part before.
"""

import random
from dataclasses import dataclass, fields

import torch
from tokenizers import Tokenizer
from torch import Tensor

from runtime.prompt import system_text
from tools.train import tokenizer as tokens
from tools.train.corpus import Exchange, Scene
from tools.train.pocket import CANVAS_LENGTH

FACTS, QUESTION, LINE, CANVAS, PADDING = range(5)
IGNORED = -100  # torch's cross_entropy ignores this label
FULL_CANVAS_SHARE = 0.15  # canvases of full length
HALF_CANVAS_SHARE = 0.5  # of half that length, the fast sampler's; the others are of any length from the line's on
CONTINUED_SHARE = 0.5  # of lines that are longer than their canvas, those whose second part is asked for


@dataclass(frozen=True, slots=True)
class Batch:
    """Packed rows, int64 [rows, length] each.

    Attributes:
        ids: token ids; canvas positions hold the clean line and its end tokens.
        positions: position ids within the branch.
        kind: FACTS, QUESTION, LINE, CANVAS or PADDING.
        branch: number of the exchange in its row, -1 for facts and padding.
        next_ids: label of the causal loss, IGNORED where there is none.
        is_tail: 1 on canvas positions after the end of the line.
        said: position up to which a canvas sees the line; on other tokens 0.
        copied: 1 on tokens of the line that the answer had to take from the prompt.
    """

    ids: Tensor
    positions: Tensor
    kind: Tensor
    branch: Tensor
    next_ids: Tensor
    is_tail: Tensor
    said: Tensor
    copied: Tensor

    def to(self, device: str) -> "Batch":
        """The same batch on another device."""
        return Batch(*(getattr(self, field.name).to(device) for field in fields(self)))

    def mask(self) -> Tensor:
        """Which key each query may see, bool [rows, 1, length, length]."""
        query_kind, key_kind = self.kind[:, :, None], self.kind[:, None, :]
        earlier = self.positions[:, None, :] <= self.positions[:, :, None]
        same_branch = self.branch[:, :, None] == self.branch[:, None, :]
        facts = (key_kind == FACTS) & (query_kind != PADDING) & ((query_kind != FACTS) | earlier)
        question = (key_kind == QUESTION) & same_branch & ((query_kind == CANVAS) | earlier)
        said = (query_kind == CANVAS) & (self.positions[:, None, :] < self.said[:, :, None])
        line = (key_kind == LINE) & same_branch & (((query_kind == LINE) & earlier) | said)
        canvas = (key_kind == CANVAS) & (query_kind == CANVAS) & same_branch
        # A padding token sees itself, so that no softmax is over nothing.
        itself = torch.eye(self.kind.shape[1], dtype=torch.bool, device=self.kind.device)[None]
        return (facts | question | line | canvas | itself)[:, None]


def question_ids(tokenizer: Tokenizer, exchange: Exchange) -> list[int]:
    """Token ids of a branch up to where the NPC's line starts, exactly as the chat template renders it."""
    ids: list[int] = []
    for player, answer in exchange.history:
        ids += [tokens.USER, *tokenizer.encode(player).ids, tokens.TURN_END]
        ids += [tokens.NPC, *tokenizer.encode(answer).ids, tokens.TURN_END]
    return [*ids, tokens.USER, *tokenizer.encode(exchange.player).ids, tokens.TURN_END, tokens.NPC]


def facts_ids(tokenizer: Tokenizer, scene: Scene) -> list[int]:
    """Token ids of the persona, exactly as the chat template renders it."""
    return [tokens.BOS, tokens.SYSTEM, *tokenizer.encode(system_text(scene.npc)).ids, tokens.TURN_END]


# Token id, position, kind, branch, label, tail, said, copied: as in `Batch`.
_Column = tuple[int, int, int, int, int, int, int, int]


class _Row:
    """One row under construction."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.columns: list[_Column] = []

    def free(self) -> int:
        return self.length - len(self.columns)

    def add(
        self, ids: list[int], start: int, kind: int, branch: int, next_ids: list[int], copied: list[int] | None = None
    ) -> None:
        copied = [0] * len(ids) if copied is None else copied
        for offset, (token, label, is_copied) in enumerate(zip(ids, next_ids, copied, strict=True)):
            self.columns.append((token, start + offset, kind, branch, label, 0, 0, is_copied))

    def add_canvas(self, ids: list[int], start: int, branch: int, copied: list[int]) -> None:
        """`copied` is as long as the line is from here on: what stands behind it is the tail."""
        for offset, token in enumerate(ids):
            tail = int(offset >= len(copied))
            is_copied = 0 if tail else copied[offset]
            self.columns.append((token, start + offset, CANVAS, branch, IGNORED, tail, start, is_copied))

    def padded(self) -> list[_Column]:
        return self.columns + [(tokens.PAD, 0, PADDING, -1, IGNORED, 0, 0, 0)] * self.free()


def _pack_scene(rng: random.Random, tokenizer: Tokenizer, scene: Scene, length: int) -> _Row:
    row = _Row(length)
    facts = facts_ids(tokenizer, scene)
    row.add(facts, 0, FACTS, -1, [IGNORED] * len(facts))
    for branch, exchange in enumerate(scene.exchanges):
        question = question_ids(tokenizer, exchange)
        answer = tokenizer.encode(exchange.answer)
        line = [*answer.ids, tokens.TURN_END]
        copied = [*_copied(exchange, answer.offsets), 0]
        canvas_length = _draw_canvas_length(rng, len(line))
        before = canvas_length if len(line) > canvas_length and rng.random() < CONTINUED_SHARE else 0
        canvas = (line[before:] + [tokens.TURN_END] * canvas_length)[:canvas_length]
        if len(question) + len(line) + len(canvas) > row.free():
            break
        start = len(facts) + len(question)
        text = question + line
        labels = [IGNORED] * (len(question) - 1) + line + [IGNORED]
        row.add(text[: len(question)], len(facts), QUESTION, branch, labels[: len(question)])
        # A label is the next token: the last one of the question is followed by the first one of the line.
        row.add(line, start, LINE, branch, labels[len(question) :], [*copied[1:], 0])
        row.add_canvas(canvas, start + before, branch, copied[before:])
    return row


def _copied(exchange: Exchange, offsets: list[tuple[int, int]]) -> list[int]:
    """1 for each token of the answer (`offsets` has its first and last character) that is a part of what it needs."""
    answer = exchange.answer.lower()
    spans = [(answer.find(needed.lower()), len(needed)) for needed in (*exchange.needed, exchange.action) if needed]
    return [
        int(any(start <= last - 1 and first < start + length for start, length in spans if start >= 0))
        for first, last in offsets
    ]


def _draw_canvas_length(rng: random.Random, line_length: int) -> int:
    share = rng.random()
    if share < FULL_CANVAS_SHARE:
        return CANVAS_LENGTH
    if share < FULL_CANVAS_SHARE + HALF_CANVAS_SHARE:
        return CANVAS_LENGTH // 2
    return rng.randint(min(line_length, CANVAS_LENGTH), CANVAS_LENGTH)


def pack(rng: random.Random, tokenizer: Tokenizer, scenes: list[Scene], length: int) -> Batch:
    """Pack scenes into rows of `length` tokens, one scene a row; exchanges that no longer fit are left out."""
    rows = [_pack_scene(rng, tokenizer, scene, length).padded() for scene in scenes]
    return Batch(*torch.tensor(rows).unbind(-1))
