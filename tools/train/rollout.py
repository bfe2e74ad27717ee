"""One step of the sampler on a training batch, so that the model meets its own mistakes while it can still learn.

Uniform noise is easy to tell from text; a plausible wrong word is not, and generation is full of those. After Savinov
et al., "Step-unrolled Denoising Autoencoders for Text Generation" (2021), with the acceptance rule of the entropy-bound
sampler in the place of plain sampling.
"""

import torch
from torch import Tensor


def roll_out(logits: Tensor, canvas: Tensor, entropy_bound: float, generator: torch.Generator) -> Tensor:
    """What the canvases look like after one denoising step: accepted draws, and fresh noise elsewhere.

    Args:
        logits: float32 [tokens, vocab], of all canvases one after another, divided by the temperature.
        canvas: int64 [tokens], which canvas each token belongs to.
        entropy_bound: nats, as the sampler has it.
        generator: source of the draws, on the CPU.

    Returns:
        int64 [tokens], token ids.
    """
    tokens, vocab_size = logits.shape
    log_probabilities = logits.log_softmax(-1)
    probabilities = log_probabilities.exp()
    entropy = -(probabilities * log_probabilities).sum(-1).double()
    uniform = torch.rand(tokens, 1, generator=generator).to(logits.device)
    sampled = (probabilities.cumsum(-1) < uniform).sum(-1).clamp(max=vocab_size - 1)

    order = entropy.argsort()
    order = order[canvas[order].argsort(stable=True)]
    before = entropy[order].cumsum(0) - entropy[order]
    starts = torch.ones_like(order, dtype=torch.bool)
    starts[1:] = canvas[order][1:] != canvas[order][:-1]
    before_in_canvas = before - before[starts][starts.cumsum(0) - 1]
    accepted = torch.empty_like(starts)
    # The difference of two running sums may miss zero by a rounding error; the first token is always accepted.
    accepted[order] = starts | (before_in_canvas <= entropy_bound)

    noise = torch.randint(0, vocab_size, (tokens,), generator=generator).to(logits.device)
    return torch.where(accepted, sampled, noise)
