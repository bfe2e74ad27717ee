"""Scenes packed into rows: the persona once, then every exchange of the scene as a branch of its own.

    row:  facts | question 1, line 1 | question 2, line 2 | ... | canvas 1 | canvas 2 | ...

A branch sees the facts and itself, never another branch, and its positions go on where the facts end. So each exchange
is trained exactly as if it stood alone behind its prompt, but a persona of seventy tokens is encoded once for six of
them.
The causal text of a branch (question and line) trains the encoder as a language model; the canvas of a branch sees the
question but not the line that it has to find.
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
FULL_CANVAS_SHARE = 0.4  # canvases of full length; the others are cut shorter, as the runtime cuts the last one


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
    """

    ids: Tensor
    positions: Tensor
    kind: Tensor
    branch: Tensor
    next_ids: Tensor
    is_tail: Tensor

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
        line = (key_kind == LINE) & (query_kind == LINE) & same_branch & earlier
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


class _Row:
    """One row under construction."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.columns: list[tuple[int, int, int, int, int, int]] = []

    def free(self) -> int:
        return self.length - len(self.columns)

    def add(self, ids: list[int], start: int, kind: int, branch: int, next_ids: list[int], line_length: int) -> None:
        for offset, (token, label) in enumerate(zip(ids, next_ids, strict=True)):
            tail = int(kind == CANVAS and offset >= line_length)
            self.columns.append((token, start + offset, kind, branch, label, tail))

    def padded(self) -> list[tuple[int, int, int, int, int, int]]:
        return self.columns + [(tokens.PAD, 0, PADDING, -1, IGNORED, 0)] * self.free()


def _pack_scene(rng: random.Random, tokenizer: Tokenizer, scene: Scene, length: int) -> _Row:
    row = _Row(length)
    facts = facts_ids(tokenizer, scene)
    row.add(facts, 0, FACTS, -1, [IGNORED] * len(facts), 0)
    for branch, exchange in enumerate(scene.exchanges):
        question = question_ids(tokenizer, exchange)
        line = [*tokenizer.encode(exchange.answer).ids, tokens.TURN_END]
        canvas_length = CANVAS_LENGTH
        if rng.random() >= FULL_CANVAS_SHARE:
            canvas_length = rng.randint(min(len(line), CANVAS_LENGTH), CANVAS_LENGTH)
        canvas = (line + [tokens.TURN_END] * canvas_length)[:canvas_length]
        if len(question) + len(line) + len(canvas) > row.free():
            break
        start = len(facts) + len(question)
        text = question + line
        labels = [IGNORED] * (len(question) - 1) + line + [IGNORED]
        row.add(text[: len(question)], len(facts), QUESTION, branch, labels[: len(question)], 0)
        row.add(line, start, LINE, branch, labels[len(question) :], 0)
        row.add(canvas, start, CANVAS, branch, [IGNORED] * len(canvas), len(line))
    return row


def pack(rng: random.Random, tokenizer: Tokenizer, scenes: list[Scene], length: int) -> Batch:
    """Pack scenes into rows of `length` tokens, one scene a row; exchanges that no longer fit are left out."""
    rows = [_pack_scene(rng, tokenizer, scene, length).padded() for scene in scenes]
    ids, positions, kind, branch, next_ids, is_tail = torch.tensor(rows).unbind(-1)
    return Batch(ids, positions, kind, branch, next_ids, is_tail)
