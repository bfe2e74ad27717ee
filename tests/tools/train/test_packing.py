"""Packed rows train exactly what the model computes when each exchange stands alone behind its prompt."""

import itertools
import random

import pytest
import torch
from tokenizers import Tokenizer

from runtime.chat_template import ChatTemplate
from runtime.prompt import PromptBuilder
from runtime.prompt_budget import PromptBudget
from tools.train.corpus import Scene, scenes
from tools.train.packing import CANVAS, LINE, PADDING, QUESTION, Batch, facts_ids, pack, question_ids
from tools.train.pocket import PackedDenoiser, build_pocket
from tools.train.tokenizer import CHAT_TEMPLATE, SPECIAL_TOKENS, train_tokenizer

VOCAB_SIZE = 600


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(VOCAB_SIZE, seed=3, num_scenes=200)


@pytest.fixture(scope="module")
def drawn() -> list[Scene]:
    return list(itertools.islice(scenes(seed=4, exchanges=4), 2))


@pytest.fixture(scope="module")
def batch(tokenizer: Tokenizer, drawn: list[Scene]) -> Batch:
    return pack(random.Random(0), tokenizer, drawn, length=512)


def _said(batch: Batch, row: int, branch: int) -> int:
    """Tokens of the line that this branch's canvas comes behind."""
    of_branch = batch.branch[row] == branch
    starts = batch.positions[row, of_branch & (batch.kind[row] == LINE)][0]
    return int(batch.positions[row, of_branch & (batch.kind[row] == CANVAS)][0] - starts)


def test_branches_hold_question_line_and_canvas(tokenizer: Tokenizer, drawn: list[Scene], batch: Batch) -> None:
    for row, scene in enumerate(drawn):
        for branch, exchange in enumerate(scene.exchanges):
            of_branch = batch.branch[row] == branch
            question = batch.ids[row, of_branch & (batch.kind[row] == QUESTION)].tolist()
            line = batch.ids[row, of_branch & (batch.kind[row] == LINE)].tolist()
            canvas = batch.ids[row, of_branch & (batch.kind[row] == CANVAS)].tolist()
            assert question == question_ids(tokenizer, exchange)
            assert tokenizer.decode(line).strip() == exchange.answer
            rest = line[_said(batch, row, branch) :][: len(canvas)]
            assert canvas[: len(rest)] == rest
            assert set(canvas[len(rest) :]) <= {line[-1]}


def test_packed_logits_equal_transformers(tokenizer: Tokenizer, drawn: list[Scene], batch: Batch) -> None:
    model = build_pocket(VOCAB_SIZE, seed=0).eval()
    denoiser = PackedDenoiser(model)
    is_canvas = batch.kind == CANVAS
    soft = torch.zeros(int(is_canvas.sum()), model.config.text_config.hidden_size)
    with torch.no_grad():
        mask = batch.mask()
        first = denoiser.logits(denoiser.hidden(batch.ids, batch.positions, mask, is_canvas, soft))
        soft = denoiser.soft_embeddings(first[is_canvas])
        second = denoiser.logits(denoiser.hidden(batch.ids, batch.positions, mask, is_canvas, soft))
        for row, scene in enumerate(drawn):
            for branch, exchange in enumerate(scene.exchanges):
                of_line = (batch.branch[row] == branch) & (batch.kind[row] == LINE)
                said = batch.ids[row, of_line][: _said(batch, row, branch)].tolist()
                prompt = facts_ids(tokenizer, scene) + question_ids(tokenizer, exchange) + said
                here = (batch.branch[row] == branch) & is_canvas[row]
                canvas = batch.ids[row, here][None]
                alone = model(input_ids=torch.tensor([prompt]), decoder_input_ids=canvas)
                again = model(cache=alone.cache, decoder_input_ids=canvas, self_conditioning_logits=alone.logits)
                torch.testing.assert_close(first[row, here], alone.logits[0], atol=2e-4, rtol=1e-4)
                torch.testing.assert_close(second[row, here], again.logits[0], atol=2e-4, rtol=1e-4)


def test_no_token_sees_another_branch_or_padding(batch: Batch) -> None:
    mask = batch.mask()[:, 0]
    itself = torch.eye(mask.shape[-1], dtype=torch.bool)[None]
    query, key = batch.branch[:, :, None], batch.branch[:, None, :]
    assert not (mask & (key >= 0) & (query != key)).any()
    assert not (mask & ~itself & (batch.kind == PADDING)[:, None, :]).any()


def test_a_canvas_sees_what_was_said_before_it_and_nothing_of_what_it_has_to_find(batch: Batch) -> None:
    of_line = (batch.kind == CANVAS)[:, :, None] & (batch.kind == LINE)[:, None, :]
    same_branch = batch.branch[:, :, None] == batch.branch[:, None, :]
    before = batch.positions[:, None, :] < batch.said[:, :, None]
    assert torch.equal(batch.mask()[:, 0] & of_line, of_line & same_branch & before)


def test_some_canvases_go_on_with_a_line(tokenizer: Tokenizer) -> None:
    scenes_of_many = list(itertools.islice(scenes(seed=5, exchanges=6), 12))
    many = pack(random.Random(0), tokenizer, scenes_of_many, length=700)
    branches = [(row, branch) for row in range(12) for branch in range(int(many.branch[row].max()) + 1)]
    lengths = {_said(many, row, branch) for row, branch in branches}
    assert 0 in lengths and max(lengths) >= 10


def test_what_the_answer_took_from_the_prompt_is_marked(tokenizer: Tokenizer, drawn: list[Scene], batch: Batch) -> None:
    marked = 0
    for row, scene in enumerate(drawn):
        for branch, exchange in enumerate(scene.exchanges):
            here = (batch.branch[row] == branch) & (batch.kind[row] == CANVAS) & (batch.copied[row] == 1)
            text = tokenizer.decode(batch.ids[row, here].tolist())
            taken = f" {' '.join((*exchange.needed, exchange.action))} ".lower()
            assert all(word.lower() in taken for word in text.replace(".", " ").split())
            marked += bool(text)
    assert marked


def test_training_reads_the_prompt_that_the_runtime_builds(tokenizer: Tokenizer, drawn: list[Scene]) -> None:
    budget = PromptBudget(*(1 << 20,) * 5)
    builder = PromptBuilder(ChatTemplate(CHAT_TEMPLATE, "<bos>", "<eos>"), tokenizer, SPECIAL_TOKENS, budget)
    for scene in drawn:
        for exchange in scene.exchanges:
            built = builder.build(scene.npc, exchange.player, exchange.history)
            assert built.ids.tolist() == facts_ids(tokenizer, scene) + question_ids(tokenizer, exchange)
