"""`python -m tools.make_checkpoint OUT`: a checkpoint of the real model's geometry, with weights of no meaning.

For trying the exporter and the runtime at true width where the real weights cannot be had. Tensors have the names, the
shapes and the type of google/diffusiongemma-26B-A4B-it, less the vision tower, which the exporter leaves out. With
`--values zero` the files are sparse: the whole 26B checkpoint then takes next to nothing on the disk.
"""

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion, DiffusionGemmaTextConfig

SHARD_BYTES = 5_000_000_000
_PIECE = 1 << 24  # values that are drawn at a time
_SLIDING_TO_FULL = 6  # every sixth layer is a full one

# Those of the real model that an exporter or a runtime looks at; the rest of its 262144 tokens are words.
SPECIAL_TOKENS = {
    "<pad>": 0, "<eos>": 1, "<bos>": 2, "<|tool_call>": 48, "<tool_call|>": 49, "<|tool_response>": 50, "<|think|>": 98,
    "<|channel>": 100, "<channel|>": 101, "<|turn>": 105, "<turn|>": 106,
}  # fmt: skip
_CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "<|turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}\n"
    "{{ message['content'] | trim }}<turn|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn>model\n<|channel>thought\n<channel|>{% endif %}"
)
_GENERATION = {
    "max_denoising_steps": 48,
    "sampler_config": {"_cls_name": "EntropyBoundSamplerConfig", "entropy_bound": 0.1},
    "t_min": 0.4,
    "t_max": 0.8,
    "stability_threshold": 1,
    "confidence_threshold": 0.005,
    "max_new_tokens": 256,
    "bos_token_id": 2,
    "eos_token_id": [1, 106, 50],
    "pad_token_id": 0,
}


def geometry_26b(layers: int) -> DiffusionGemmaConfig:
    """The config of the real model, or of its first `layers` layers; of two, one is sliding and one is full."""
    full = {layers - 1} if layers < _SLIDING_TO_FULL else set(range(_SLIDING_TO_FULL - 1, layers, _SLIDING_TO_FULL))
    text = DiffusionGemmaTextConfig(
        vocab_size=262_144,
        hidden_size=2816,
        intermediate_size=2112,
        num_hidden_layers=layers,
        layer_types=["full_attention" if layer in full else "sliding_attention" for layer in range(layers)],
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=256,
        num_global_key_value_heads=2,
        global_head_dim=512,
        sliding_window=1024,
        num_experts=128,
        top_k_experts=8,
        moe_intermediate_size=704,
        hidden_activation="gelu_pytorch_tanh",
        use_bidirectional_attention="vision",
        max_position_embeddings=262_144,
        dtype="bfloat16",
    )
    return DiffusionGemmaConfig(text_config=text, canvas_length=256, dtype="bfloat16")


def tensor_shapes(config: DiffusionGemmaConfig) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors that the checkpoint stores, in the model's order."""
    with torch.device("meta"):
        model = DiffusionGemmaForBlockDiffusion(config)
    vision = ("model.encoder.vision_tower.", "model.encoder.embed_vision.")
    return {
        name: tuple(tensor.shape)
        for name, tensor in model.state_dict().items()
        if name not in model.all_tied_weights_keys and not name.startswith(vision)
    }


def write_checkpoint(folder: Path, config: DiffusionGemmaConfig, *, is_random: bool, seed: int = 0) -> None:
    """Write config, weights in bfloat16, generation defaults, a byte-level tokenizer and a chat template.

    Args:
        folder: made if it is not there.
        config: the geometry.
        is_random: draw the weights; else they are zero, and the files sparse.
        seed: of the weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config.architectures = [DiffusionGemmaForBlockDiffusion.__name__]
    config.save_pretrained(folder)
    (folder / "generation_config.json").write_text(json.dumps(_GENERATION), encoding="utf-8")
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<bos>"}), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(_CHAT_TEMPLATE, encoding="utf-8")
    shards = list(_shards(tensor_shapes(config)))
    generator = torch.Generator().manual_seed(seed)
    weight_map: dict[str, str] = {}
    for number, shapes in enumerate(shards, start=1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        print(f"{name}: {len(shapes)} tensors", flush=True)
        weight_map |= dict.fromkeys(shapes, name)
        with (folder / name).open("wb") as file:
            _write_shard(file, shapes, generator if is_random else None)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")


def tokenizer() -> Tokenizer:
    """Bytes as tokens, around the special tokens at their ids in the real tokenizer."""
    free = (token_id for token_id in range(512) if token_id not in SPECIAL_TOKENS.values())
    vocabulary = SPECIAL_TOKENS | dict(zip(sorted(pre_tokenizers.ByteLevel.alphabet()), free, strict=False))
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(name, special=True) for name in SPECIAL_TOKENS])
    return made


def _shards(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[dict[str, tuple[int, ...]]]:
    shard: dict[str, tuple[int, ...]] = {}
    filled = 0
    for name, shape in shapes.items():
        size = 2 * math.prod(shape)
        if shard and filled + size > SHARD_BYTES:
            yield shard
            shard, filled = {}, 0
        shard[name] = shape
        filled += size
    yield shard


def _write_shard(file: BinaryIO, shapes: Mapping[str, tuple[int, ...]], generator: torch.Generator | None) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode("utf-8")
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    if generator is None:
        file.truncate(8 + len(text) + end)
        return
    for name, shape in shapes.items():
        for piece in _values(name, shape, generator):
            file.write(piece.to(torch.bfloat16).view(torch.int16).numpy().tobytes())


def _values(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Iterator[torch.Tensor]:
    """Weights under which every part of the network matters and nothing grows from layer to layer."""
    size = math.prod(shape)
    for start in range(0, size, _PIECE):
        count = min(_PIECE, size - start)
        if name.endswith(("q_norm.weight", "k_norm.weight")):
            # The attention scale is 1: the norms hold what 1 / sqrt(head_dim) holds elsewhere.
            yield (0.7 + 0.6 * torch.rand(count, generator=generator)) * shape[0] ** -0.25
        elif len(shape) == 1:
            yield 0.5 + 0.5 * torch.rand(count, generator=generator)
        else:
            yield torch.randn(count, generator=generator) * shape[-1] ** -0.5


def main() -> None:
    """Parse the command line and write the folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.make_checkpoint", description=__doc__.split("\n\n")[1])
    parser.add_argument("out", metavar="OUT", type=Path, help="folder of the checkpoint")
    parser.add_argument("--layers", type=int, default=2, help="layers, of 30 in the real model (default 2)")
    parser.add_argument(
        "--values", choices=("random", "zero"), default="random", help="of the weights (default random); zero is sparse"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the weights (default 0)")
    arguments = parser.parse_args()
    if arguments.layers < 1:
        raise SystemExit(f"error: layers is {arguments.layers}. Give 1 to 30")
    if arguments.out.exists() and any(arguments.out.iterdir()):
        raise SystemExit(f"error: {arguments.out} is not empty. Choose another folder")
    config = geometry_26b(arguments.layers)
    write_checkpoint(arguments.out, config, is_random=arguments.values == "random", seed=arguments.seed)


if __name__ == "__main__":
    main()
