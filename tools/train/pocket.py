"""The pocket model: transformers' own DiffusionGemma classes at a size that a laptop trains in an evening."""

import math
import types

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from torch import Tensor, nn
from transformers import (
    DiffusionGemmaConfig,
    DiffusionGemmaForBlockDiffusion,
    DiffusionGemmaTextConfig,
)
from transformers.models.diffusion_gemma.modeling_diffusion_gemma import (
    DiffusionGemmaRMSNorm,
    DiffusionGemmaTextExperts,
)

from tools.train import tokenizer

CANVAS_LENGTH = 32


def pocket_config(vocab_size: int) -> DiffusionGemmaConfig:
    """Geometry of the pocket model: about 3 M parameters, three sliding layers and a full one, 4 experts top-2.

    The gate is silu, for which ONNX Runtime's fused experts are exact on a CPU.
    """
    text = DiffusionGemmaTextConfig(
        vocab_size=vocab_size,
        hidden_size=192,
        intermediate_size=384,
        num_hidden_layers=4,
        layer_types=["sliding_attention"] * 3 + ["full_attention"],
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=48,
        num_global_key_value_heads=2,
        global_head_dim=64,
        sliding_window=512,
        num_experts=4,
        top_k_experts=2,
        moe_intermediate_size=128,
        hidden_activation="silu",
        use_bidirectional_attention="vision",
        max_position_embeddings=4096,
        pad_token_id=tokenizer.PAD,
        eos_token_id=tokenizer.EOS,
        bos_token_id=tokenizer.BOS,
    )
    # The model class asks for a vision tower; it is as small as it can be, never trained and never exported.
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "patch_size": 4,
    }
    image = {
        "boi_token_id": tokenizer.SPECIAL_TOKENS.index("<|image>"),
        "eoi_token_id": tokenizer.SPECIAL_TOKENS.index("<image|>"),
        "image_token_id": tokenizer.SPECIAL_TOKENS.index("<|img|>"),
    }
    return DiffusionGemmaConfig(text_config=text, vision_config=vision, canvas_length=CANVAS_LENGTH, **image)


def _routed_experts(self: DiffusionGemmaTextExperts, hidden: Tensor, index: Tensor, weights: Tensor) -> Tensor:
    """The original's loop over experts, without its one-hot masks: twice as fast with few experts on a CPU.

    Args:
        hidden: [tokens, hidden]; index, weights: [tokens, top_k] as the router gives them.

    Returns:
        [tokens, hidden].
    """
    output = torch.zeros_like(hidden)
    for expert in range(self.num_experts):
        token, slot = (index == expert).nonzero(as_tuple=True)
        gate, up = F.linear(hidden.index_select(0, token), self.gate_up_proj[expert]).chunk(2, dim=-1)
        inner = F.linear(self.act_fn(gate) * up, self.down_proj[expert])
        output = output.index_add(0, token, inner * weights[token, slot, None])
    return output


def build_pocket(vocab_size: int, seed: int) -> DiffusionGemmaForBlockDiffusion:
    """A pocket model with fresh weights, ready to be trained."""
    torch.manual_seed(seed)
    model = DiffusionGemmaForBlockDiffusion(pocket_config(vocab_size))
    return prepare_for_training(model, fresh=True)


def prepare_for_training(model: DiffusionGemmaForBlockDiffusion, *, fresh: bool) -> DiffusionGemmaForBlockDiffusion:
    """Swap in faster experts; on fresh weights also start attention soft.

    The architecture has attention scale 1 and normalised queries and keys: with norm weights of one, the first softmax
    is nearly one-hot and passes hardly any gradient. head_dim ** -0.25 on either side gives the usual 1/sqrt(head_dim).
    """
    model.set_attn_implementation("sdpa")
    for name, module in model.named_modules():
        if isinstance(module, DiffusionGemmaTextExperts):
            module.forward = types.MethodType(_routed_experts, module)
        if fresh and name.endswith(("q_norm", "k_norm")) and "vision" not in name:
            nn.init.constant_(module.weight, module.weight.shape[0] ** -0.25)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("vision" not in name)
    return model


def compile_norms(model: DiffusionGemmaForBlockDiffusion) -> None:
    """Have torch fuse each norm into one kernel, forwards and backwards: as single operations they wait for memory."""
    # By rank, width and whether gradients are wanted, there are more versions of it than torch allows at first.
    torch._dynamo.config.recompile_limit = 64
    forward = torch.compile(DiffusionGemmaRMSNorm.forward, dynamic=True)
    for module in model.modules():
        if isinstance(module, DiffusionGemmaRMSNorm):
            module.forward = types.MethodType(forward, module)


class PackedDenoiser(nn.Module):
    """Encoder and decoder of the model in one pass over packed rows.

    Both passes share every weight, so text and canvas tokens can go through the layers together, told apart by the
    attention mask alone. The layer scalars stay at one in both, as transformers initialises them.
    """

    def __init__(self, model: DiffusionGemmaForBlockDiffusion) -> None:
        super().__init__()
        self.model = model
        self.decoder = model.model.decoder
        self.layer_types = model.config.text_config.layer_types
        self.softcap = model.config.text_config.final_logit_softcapping

    def hidden(self, ids: Tensor, positions: Tensor, mask: Tensor, is_canvas: Tensor, soft: Tensor) -> Tensor:
        """Last hidden states.

        Args:
            ids, positions: int64 [rows, length].
            mask: bool [rows, 1, length, length], True where a query may see a key.
            is_canvas: bool [rows, length], the tokens that pass through the self-conditioning block.
            soft: float32 [canvas tokens, hidden], self-conditioning signal, zeros for none.

        Returns:
            float32 [rows, length, hidden].
        """
        decoder = self.decoder
        embedded = decoder.embed_tokens(ids)
        hidden = embedded.clone()
        hidden[is_canvas] = decoder.self_conditioning(embedded[is_canvas], soft)
        rotary = {kind: decoder.rotary_emb(hidden, positions, kind) for kind in decoder.unique_layer_types}
        for layer, kind in zip(decoder.layers, self.layer_types, strict=True):
            hidden = layer(hidden, position_embeddings=rotary[kind], attention_mask=mask, position_ids=positions)
        return decoder.norm(hidden)

    def logits(self, hidden: Tensor) -> Tensor:
        """Soft-capped logits [..., vocab] of hidden states [..., hidden]."""
        return self.softcap * torch.tanh(self.model.lm_head(hidden) / self.softcap)

    def soft_embeddings(self, logits: Tensor) -> Tensor:
        """The self-conditioning signal [..., hidden] that logits [..., vocab] of one step give to the next."""
        embedding = self.decoder.embed_tokens.weight
        return logits.softmax(-1) @ embedding * math.sqrt(embedding.shape[1])
