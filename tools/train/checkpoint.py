"""What training leaves on disk: a Hugging Face checkpoint for the exporter, and the state to go on from."""

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import DiffusionGemmaForBlockDiffusion, PreTrainedTokenizerFast
from transformers.models.diffusion_gemma import DiffusionGemmaGenerationConfig, EntropyBoundSamplerConfig

from tools.train import tokenizer as tokens

STATE_FILE = "training_state.pt"


def generation_config() -> DiffusionGemmaGenerationConfig:
    """How lines are made from the pocket model unless a game says otherwise."""
    return DiffusionGemmaGenerationConfig(
        max_new_tokens=64,
        max_denoising_steps=16,
        sampler_config=EntropyBoundSamplerConfig(entropy_bound=0.1),
        t_min=0.4,
        t_max=0.8,
        stability_threshold=1,
        confidence_threshold=0.005,
        bos_token_id=tokens.BOS,
        pad_token_id=tokens.PAD,
        eos_token_id=[tokens.EOS, tokens.TURN_END],
    )


def save_checkpoint(model: DiffusionGemmaForBlockDiffusion, tokenizer: Tokenizer, folder: Path) -> None:
    """Write config, weights, generation defaults, tokenizer and chat template as transformers does."""
    model.generation_config = generation_config()
    model.save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<bos>",
        eos_token="<eos>",
        pad_token="<pad>",
        additional_special_tokens=list(tokens.SPECIAL_TOKENS[tokens.TURN_END :]),
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = tokens.CHAT_TEMPLATE
    fast.save_pretrained(folder)


def save_state(folder: Path, state: dict[str, Any]) -> None:
    """Write the training state so that an interruption at any moment leaves the old one or the new one."""
    temporary = folder / (STATE_FILE + ".new")
    torch.save(state, temporary)
    temporary.replace(folder / STATE_FILE)


def load_state(folder: Path) -> dict[str, Any] | None:
    """The training state in `folder`, or None where training starts afresh."""
    path = folder / STATE_FILE
    return torch.load(path, weights_only=True) if path.exists() else None


def append_log(folder: Path, record: dict[str, float]) -> None:
    """Add one line to the log of losses beside the checkpoint."""
    with (folder / "training_log.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")
