"""The module that is traced: one pass of DiffusionGemma, causal encode or denoising step, with the sampler inside.

The layers, norms, rotary embeddings and the self-conditioning block are transformers' own modules. Encoder and decoder
of a checkpoint share every weight but one scalar a layer, so the decoder's modules serve both passes here.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

# Added to the score of a key that must not be attended. Finite, so that a query without any visible key (padding) gives
# a finite, unused result instead of NaN; far below any score, so that the softmax of a visible key is not changed.
MASKED_SCORE = -1e9


class StepModel(nn.Module):
    """One pass over `length` new positions behind `prefix` encoded ones.

    Takes over the decoder of `model`, which has been lowered, and changes it: do not use `model` for anything else
    afterwards.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        text = model.config.text_config
        # Eager attention traces to plain matrix products and takes the additive masks below as they are.
        model.set_attn_implementation("eager")
        self.decoder = model.model.decoder
        self.layer_types = list(text.layer_types)
        self.sliding_window = int(text.sliding_window)
        self.softcap = float(model.final_logit_softcapping)
        encoder_layers = model.model.encoder.language_model.layers
        self.encoder_scalars = nn.ParameterList(_take_scalar(layer) for layer in encoder_layers)
        self.decoder_scalars = nn.ParameterList(_take_scalar(layer) for layer in self.decoder.layers)
        for layer in self.decoder.layers:
            layer.layer_scalar = 1.0  # applied in `forward`, where it depends on the pass
            layer.self_attn.append_to_cache = _appender(layer.self_attn.layer_idx)

    def forward(
        self,
        input_ids: Tensor,
        soft_embeddings: Tensor,
        denoise: Tensor,
        pad_length: Tensor,
        logit_rows: Tensor,
        temperature: Tensor,
        uniform: Tensor,
        scored_ids: Tensor,
        past: list[Tensor],
    ) -> tuple[Tensor, ...]:
        """Return sampled, argmax, entropy, log likelihood, next soft embeddings, then new key and value of each layer.

        Shapes and types are those of `runtime.signature.step_signature`; `past` holds key and value, layer by layer.
        Behind them come the hidden states [batch, length, hidden] that leave each layer: the graph can be cut there.
        """
        embeddings = self.decoder.embed_tokens(input_ids)
        conditioned = self.decoder.self_conditioning(embeddings, soft_embeddings)
        hidden = torch.where(denoise, conditioned, embeddings)

        cache = _PrefixCache(past)
        index = torch.arange(input_ids.shape[1]) + cache.length
        positions = torch.clamp(index[None, :] - pad_length[:, None], min=0)
        masks = self._masks(index, pad_length, denoise, cache.length)
        rotary = {kind: self.decoder.rotary_emb(hidden, positions, kind) for kind in masks}

        borders = []
        for number, layer in enumerate(self.decoder.layers):
            kind = self.layer_types[number]
            hidden = layer(
                hidden,
                position_embeddings=rotary[kind],
                attention_mask=masks[kind],
                position_ids=positions,
                cache=cache,
            )
            scalar = torch.where(denoise, self.decoder_scalars[number], self.encoder_scalars[number])
            hidden = hidden * scalar
            borders.append(hidden)
        hidden = self.decoder.norm(hidden).index_select(1, logit_rows)
        return (*self._sample(hidden, temperature, uniform, scored_ids), *cache.new, *borders)

    def _masks(self, index: Tensor, pad_length: Tensor, denoise: Tensor, prefix: int) -> dict[str, Tensor]:
        """Additive masks [batch, 1, length, prefix + length] for each kind of layer.

        Every canvas query of a sliding layer sees the last `sliding_window - 1` positions of the prefix, however far
        into the canvas it is: that is what remains in transformers' sliding cache. While encoding, the window moves
        with the query.
        """
        key = torch.arange(prefix + index.shape[0])[None, None, :]
        query = index[None, :, None]
        real = key >= pad_length[:, None, None]
        seen = real & (denoise | (key <= query))
        # Written with `and`/`or`: ONNX Runtime has no CPU kernel for Where on booleans.
        in_window = (denoise & (key >= prefix - (self.sliding_window - 1))) | (
            ~denoise & (key > query - self.sliding_window)
        )
        visible = {"full_attention": seen, "sliding_attention": seen & in_window}
        return {kind: torch.where(visible[kind], 0.0, MASKED_SCORE)[:, None] for kind in sorted(set(self.layer_types))}

    def _sample(
        self, hidden: Tensor, temperature: Tensor, uniform: Tensor, scored_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Everything of vocabulary size, from the last hidden states [batch, rows, hidden] on."""
        batch, rows, _ = hidden.shape
        # Two-dimensional on purpose: a Gemm reads the embedding as it lies, without a transposed copy. No size is left
        # to be inferred, because with no rows there is nothing to infer it from.
        logits = self.decoder.embed_tokens.logits(hidden.reshape(batch * rows, hidden.shape[-1]))
        vocab_size = logits.shape[-1]
        logits = logits.reshape(batch, rows, vocab_size)
        logits = torch.tanh(logits / self.softcap) * self.softcap / temperature[:, None, None]
        log_probabilities = torch.log_softmax(logits, dim=-1)
        probabilities = log_probabilities.exp()
        entropy = -(probabilities * log_probabilities).sum(dim=-1)
        log_likelihood = log_probabilities.gather(-1, scored_ids[..., None]).reshape(batch, rows)

        # The first id whose cumulative probability exceeds the draw: ids of probability 0 are never taken, and because
        # uniform is at most 1 - 2^-24, the scaled draw is always below the total.
        cumulative = probabilities.cumsum(dim=-1)
        sampled = (cumulative <= uniform[..., None] * cumulative[..., -1:]).sum(dim=-1)

        expected = self.decoder.embed_tokens.expected(probabilities.reshape(batch * rows, vocab_size))
        next_soft_embeddings = expected.reshape(batch, rows, hidden.shape[-1])
        return sampled, logits.argmax(dim=-1), entropy, log_likelihood, next_soft_embeddings


class _PrefixCache:
    """What the attention modules see of the prefix, and where they leave their new keys and values."""

    def __init__(self, past: list[Tensor]) -> None:
        self.past = past
        self.length = past[0].shape[2]
        self.new: list[Tensor] = []


def _appender(layer_index: int) -> Callable[[_PrefixCache, Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Stand-in for an attention module's `append_to_cache` that also keeps the new positions' keys and values."""

    def append(cache: _PrefixCache, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        cache.new += [keys, values]
        past_keys, past_values = cache.past[2 * layer_index], cache.past[2 * layer_index + 1]
        return torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)

    return append


def _take_scalar(layer: Any) -> nn.Parameter:
    scalar = layer.layer_scalar.detach().clone()
    del layer.layer_scalar
    return nn.Parameter(scalar, requires_grad=False)
