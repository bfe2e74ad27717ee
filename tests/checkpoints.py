"""Small random DiffusionGemma checkpoints, made on the spot: weights, tokenizer, chat template, generation settings."""

import json
import logging
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion, DiffusionGemmaTextConfig
from transformers.utils.logging import disable_progress_bar

disable_progress_bar()
# The tracer's own records, thousands an export, would be shown with every failing test.
logging.getLogger("torch.__trace").setLevel(logging.CRITICAL)

LayerTypes = tuple[str, ...]
TWO_LAYERS: LayerTypes = ("sliding_attention", "full_attention")
# What scales a layer's output reaches keys and values only two layers on: the next layer begins with a norm.
THREE_LAYERS: LayerTypes = ("sliding_attention", "sliding_attention", "full_attention")

SPECIAL_TOKENS = (
    "<pad>",
    "<eos>",
    "<bos>",
    "<turn|>",
    "<|system>",
    "<|user>",
    "<|npc>",
    "<|channel>",
    "<channel|>",
    "<|image>",
    "<image|>",
    "<|img|>",
)
VOCAB_SIZE = 320
CANVAS_LENGTH = 16
SLIDING_WINDOW = 16

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ {'system': '<|system>', 'user': '<|user>', 'assistant': '<|npc>'}[message['role']] }}"
    "{{ message['content'] | trim }}<turn|>{% endfor %}"
    "{% if add_generation_prompt %}<|npc>{% endif %}"
)
GENERATION_CONFIG = {
    "max_denoising_steps": 8,
    "sampler_config": {"_cls_name": "EntropyBoundSamplerConfig", "entropy_bound": 0.1},
    "t_min": 0.4,
    "t_max": 0.8,
    "stability_threshold": 1,
    "confidence_threshold": 0.005,
    "max_new_tokens": 32,
    "bos_token_id": 2,
    "eos_token_id": [1, 3],
    "pad_token_id": 0,
}


def tiny_config(activation: str = "silu", layer_types: LayerTypes = TWO_LAYERS) -> DiffusionGemmaConfig:
    """Full layers have another head size and number of KV heads than sliding ones, and no value projection."""
    text = DiffusionGemmaTextConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=len(layer_types),
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        global_head_dim=32,
        num_global_key_value_heads=1,
        sliding_window=SLIDING_WINDOW,
        num_experts=8,
        top_k_experts=2,
        moe_intermediate_size=64,
        hidden_activation=activation,
        layer_types=list(layer_types),
        use_bidirectional_attention="vision",
        max_position_embeddings=4096,
    )
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "patch_size": 4,
        "position_embedding_size": 16,
    }
    return DiffusionGemmaConfig(
        text_config=text,
        vision_config=vision,
        canvas_length=CANVAS_LENGTH,
        boi_token_id=9,
        eoi_token_id=10,
        image_token_id=11,
    )


@torch.no_grad()
def random_model(config: DiffusionGemmaConfig, seed: int = 0) -> DiffusionGemmaForBlockDiffusion:
    """A model in which every kind of weight matters: no norm, scalar or router scale is left at its initial 1.

    The sizes are chosen so that distributions are neither flat nor certain: with flat ones a sampler would accept one
    token a step, with certain ones all of them, and both would hide mistakes.
    """
    torch.manual_seed(seed)
    model = DiffusionGemmaForBlockDiffusion(config).eval()
    decoder = model.model.decoder
    for name, parameter in decoder.named_parameters():
        if name == "embed_tokens.weight":
            parameter.normal_(std=0.55)
        elif name.endswith(("q_norm.weight", "k_norm.weight")):
            # The attention scale is 1, so the norms hold what 1 / sqrt(head_dim) holds elsewhere.
            parameter.uniform_(0.7, 1.3).mul_(parameter.shape[0] ** -0.25)
        elif name.endswith("norm.weight") or "layernorm" in name:
            parameter.uniform_(0.4, 1.0)
        elif name.endswith(("router.scale", "per_expert_scale")):
            parameter.uniform_(0.5, 1.5)
        else:
            parameter.normal_(std=0.15)
    for index, layer in enumerate(decoder.layers):
        layer.layer_scalar.fill_(1.1 - 0.15 * index)
    for index, layer in enumerate(model.model.encoder.language_model.layers):
        layer.layer_scalar.fill_(0.7 + 0.2 * index)
    return model


def save_checkpoint(model: DiffusionGemmaForBlockDiffusion, folder: Path) -> Path:
    """Write `model` as a complete Hugging Face folder and return the folder."""
    model.save_pretrained(folder)
    (folder / "generation_config.json").write_text(json.dumps(GENERATION_CONFIG), encoding="utf-8")
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<bos>"}), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    return folder


def byte_level_tokenizer() -> Tokenizer:
    """A byte-level BPE that can spell any text; the special tokens have the first ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        ["the iron sword costs forty gold, the smith of the village says to the traveller"], trainer
    )
    return tokenizer
