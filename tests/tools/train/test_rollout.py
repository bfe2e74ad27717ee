"""The roll-out of a batch takes the same decisions as the runtime's sampler takes for each canvas."""

import numpy as np
import torch

from runtime.samplers.reference import accept
from tools.train.rollout import roll_out

VOCAB_SIZE = 50
BOUND = 0.1


def test_accepted_tokens_are_those_of_the_runtime() -> None:
    generator = torch.Generator().manual_seed(0)
    canvas = torch.arange(6).repeat_interleave(torch.tensor([32, 20, 7, 1, 32, 12]))
    # From nearly certain to nearly uniform, with certain tokens certain to be drawn: id 49 - canvas marks acceptance.
    sharpness = torch.rand(len(canvas), 1, generator=generator) * 30
    logits = torch.randn(len(canvas), VOCAB_SIZE, generator=generator) * sharpness

    rolled = roll_out(logits, canvas, BOUND, torch.Generator().manual_seed(1))

    draws = torch.Generator().manual_seed(1)
    uniform = torch.rand(len(canvas), 1, generator=draws)
    sampled = (logits.softmax(-1).cumsum(-1) < uniform).sum(-1).clamp(max=VOCAB_SIZE - 1)
    noise = torch.randint(0, VOCAB_SIZE, (len(canvas),), generator=draws)
    entropy = torch.distributions.Categorical(logits=logits).entropy().numpy()
    for number in range(6):
        here = canvas == number
        accepted = torch.from_numpy(accept(entropy[here.numpy()].astype(np.float32), BOUND))
        assert 0 < accepted.sum() <= here.sum()
        assert torch.equal(rolled[here], torch.where(accepted, sampled[here], noise[here]))


def test_certain_canvases_are_kept_whole() -> None:
    ids = torch.arange(20) % VOCAB_SIZE
    logits = torch.full((20, VOCAB_SIZE), -100.0)
    logits[torch.arange(20), ids] = 100.0
    rolled = roll_out(logits, torch.zeros(20, dtype=torch.long), BOUND, torch.Generator().manual_seed(0))
    assert torch.equal(rolled, ids)
