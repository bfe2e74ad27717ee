"""The geometry of a checkpoint, as the bundle states it."""

from typing import Any

from runtime.bundle import Geometry, LayerGeometry


def geometry_of(config: Any) -> Geometry:
    """Return the sizes that the host has to know, from transformers' DiffusionGemmaConfig."""
    text = config.text_config
    layers = []
    for index, kind in enumerate(text.layer_types):
        # Full layers have their own head size and number of KV heads; transformers resolves both per layer.
        layer = text.per_layer_config[index]
        layers.append(LayerGeometry(kind=kind, kv_heads=layer.num_key_value_heads, head_dim=layer.head_dim))
    return Geometry(
        vocab_size=text.vocab_size,
        hidden_size=text.hidden_size,
        canvas_length=config.canvas_length,
        max_positions=text.max_position_embeddings,
        sliding_window=text.sliding_window,
        layers=tuple(layers),
    )
