"""What an export is asked to do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from export.errors import ExportError
from export.quantise import METHODS, Method

ExpertMode = Literal["int4", "fp32"]
LinearMode = Literal["fp32", "int8", "int4"]
EmbeddingMode = Literal["fp32", "int8"]

EXPERT_MODES = get_args(ExpertMode)
LINEAR_MODES = get_args(LinearMode)
EMBEDDING_MODES = get_args(EmbeddingMode)
BLOCK_SIZES = (32, 64)
TARGETS = ("cpu",)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The settings of one export, checked once here.

    Attributes:
        checkpoint: Hugging Face folder of a DiffusionGemma checkpoint.
        out: folder of the bundle to write.
        experts: "int4" (block-wise) or "fp32".
        linear: "fp32", "int8" or "int4" (block-wise, `MatMulNBits`) for attention, dense MLP and self-conditioning.
        embeddings: "fp32" or "int8" (block-wise) for the embedding, which is the head too.
        block_size: values along K that share a scale, 32 or 64.
        scales: how the scale of a block is found, "extreme" or "least-squares".
        asymmetric: whether blocks of 4-bit weights have a zero point of their own.
        slices: graphs that the step is cut into; more than the layers and the head allow is refused later.
        target: what the graph is made for; decides which lowerings are exact.
        name: the bundle's name; the checkpoint folder's where empty.
        licence: SPDX expression of the weights.
        lora: folder of a LoRA adapter that is merged into the weights; None for none.
        dry_run: stop before anything is written.
        verify: run transformers beside the finished bundle and fail on a difference.
    """

    checkpoint: Path
    out: Path
    experts: ExpertMode = "int4"
    linear: LinearMode = "fp32"
    embeddings: EmbeddingMode = "fp32"
    block_size: int = 32
    scales: Method = "extreme"
    asymmetric: bool = False
    slices: int = 1
    target: str = "cpu"
    name: str = ""
    licence: str = "unspecified"
    lora: Path | None = None
    dry_run: bool = False
    verify: bool = False

    def __post_init__(self) -> None:
        _check_choice("experts", self.experts, EXPERT_MODES)
        _check_choice("linear", self.linear, LINEAR_MODES)
        _check_choice("embeddings", self.embeddings, EMBEDDING_MODES)
        _check_choice("block size", self.block_size, BLOCK_SIZES)
        _check_choice("scales", self.scales, METHODS)
        if self.slices < 1:
            raise ExportError(f"slices is {self.slices}", "Give 1 for a whole graph, or more")
        _check_choice("target", self.target, TARGETS)

    @property
    def bundle_name(self) -> str:
        return self.name or self.checkpoint.resolve().name


def _check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise ExportError(f"{name} is {value!r}", f"Give one of {', '.join(map(str, allowed))}")
