"""The step graph's geometry, and the inputs and outputs that follow from it."""

from dataclasses import dataclass
from typing import Literal

from runtime.records import RecordError

LayerKind = Literal["sliding_attention", "full_attention"]
TensorType = Literal["int64", "float32", "bool"]


@dataclass(frozen=True, slots=True)
class LayerGeometry:
    """Attention of one layer: its kind, and the shape of its keys and values."""

    kind: LayerKind
    kv_heads: int
    head_dim: int

    def __post_init__(self) -> None:
        if min(self.kv_heads, self.head_dim) < 1:
            raise RecordError("kv_heads and head_dim must be at least 1")


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes of the model that the host has to know.

    Attributes:
        vocab_size: number of token ids.
        hidden_size: width of an embedding.
        canvas_length: positions of a whole canvas.
        max_positions: most positions that prompt and line may fill together.
        sliding_window: positions that a sliding layer sees, its own included.
        layers: one entry a layer, in order.
    """

    vocab_size: int
    hidden_size: int
    canvas_length: int
    max_positions: int
    sliding_window: int
    layers: tuple[LayerGeometry, ...]

    def __post_init__(self) -> None:
        sizes = (self.vocab_size, self.hidden_size, self.canvas_length, self.sliding_window, len(self.layers))
        if min(sizes) < 1:
            raise RecordError("vocab_size, hidden_size, canvas_length, sliding_window and layers must be at least 1")
        if self.max_positions <= self.canvas_length:
            raise RecordError(f"max_positions ({self.max_positions}) leaves no room for a prompt beside a canvas")


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One input or output: name, element type, and dimensions that are sizes or names ("batch", "length", ...)."""

    name: str
    dtype: TensorType
    shape: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class GraphSignature:
    """Inputs and outputs of a step graph, in order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]


def step_signature(geometry: Geometry) -> GraphSignature:
    """The signature that every step graph of this geometry has.

    One graph serves both passes. `denoise` false is the causal encode of `input_ids` behind the prefix in past_*;
    true is one bidirectional denoising step over prefix and canvas. `present_*` holds the new positions only.
    """
    inputs = [
        TensorSpec("input_ids", "int64", ("batch", "length")),
        TensorSpec("soft_embeddings", "float32", ("batch", "length", geometry.hidden_size)),
        TensorSpec("denoise", "bool", ()),
        TensorSpec("pad_length", "int64", ("batch",)),
        TensorSpec("logit_rows", "int64", ("rows",)),
        TensorSpec("temperature", "float32", ("batch",)),
        TensorSpec("uniform", "float32", ("batch", "rows")),
        TensorSpec("scored_ids", "int64", ("batch", "rows")),
    ]
    outputs = [
        TensorSpec("sampled", "int64", ("batch", "rows")),
        TensorSpec("argmax", "int64", ("batch", "rows")),
        TensorSpec("entropy", "float32", ("batch", "rows")),
        TensorSpec("log_likelihood", "float32", ("batch", "rows")),
        TensorSpec("next_soft_embeddings", "float32", ("batch", "rows", geometry.hidden_size)),
    ]
    for index, layer in enumerate(geometry.layers):
        for part in ("key", "value"):
            past = ("batch", layer.kv_heads, "prefix", layer.head_dim)
            present = ("batch", layer.kv_heads, "length", layer.head_dim)
            inputs.append(TensorSpec(f"past_{part}_{index}", "float32", past))
            outputs.append(TensorSpec(f"present_{part}_{index}", "float32", present))
    return GraphSignature(tuple(inputs), tuple(outputs))


def check_slices(whole: GraphSignature, slices: tuple[GraphSignature, ...]) -> None:
    """Raise RecordError unless the slices, run in order, have all that they take and make the outputs of `whole`.

    A slice takes inputs of `whole` and outputs of the slices before it.
    """
    known = {spec.name: spec for spec in whole.inputs}
    for number, part in enumerate(slices):
        for spec in part.inputs:
            if known.get(spec.name) != spec:
                raise RecordError(
                    f"slice {number} takes {spec.name}, which is not there or is of another type or shape"
                )
        for spec in part.outputs:
            if spec.name in known:
                raise RecordError(f"slice {number} makes {spec.name}, which is there already")
            known[spec.name] = spec
    missing = [spec.name for spec in whole.outputs if known.get(spec.name) != spec]
    if missing:
        raise RecordError(f"no slice makes {missing[0]}")
