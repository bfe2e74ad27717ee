"""What bundle.json says: the records of the bundle format, read and written."""

import json
from dataclasses import asdict, dataclass
from typing import Literal, Self

from runtime.records import RecordError, record_from
from runtime.signature import Geometry, GraphSignature, check_slices

FORMAT = "palaver-bundle"
FORMAT_VERSION = 2


@dataclass(frozen=True, slots=True)
class Source:
    """Where the weights came from: model type, name of the checkpoint's folder, and its fingerprint or "unknown"."""

    model_type: str
    checkpoint: str
    revision: str


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How each group of weights is stored; `block_size` is the number of weights that share a scale."""

    experts: Literal["int4", "fp32"]
    linear: Literal["fp32", "int8", "int4"]
    embeddings: Literal["fp32", "int8"]
    block_size: int


@dataclass(frozen=True, slots=True)
class GenerationDefaults:
    """The checkpoint's generation settings, used where a request leaves them open.

    Attributes:
        max_denoising_steps: most denoising steps a canvas.
        entropy_bound: nats; bound of the entropy-bound sampler.
        t_min: temperature that the schedule tends to at the last step.
        t_max: temperature at the first step.
        stability_threshold: how many earlier steps must have had the same argmax for a canvas to count as stable.
        confidence_threshold: nats; mean entropy below which a canvas counts as confident.
        max_new_tokens: tokens of a line unless the request says otherwise; a default, never a cap.
        eos_token_ids: every id that ends a line.
        pad_token_id: id that fills what is not there.
    """

    max_denoising_steps: int
    entropy_bound: float
    t_min: float
    t_max: float
    stability_threshold: int
    confidence_threshold: float
    max_new_tokens: int
    eos_token_ids: tuple[int, ...]
    pad_token_id: int

    def __post_init__(self) -> None:
        if min(self.max_denoising_steps, self.max_new_tokens) < 1:
            raise RecordError("max_denoising_steps and max_new_tokens must be at least 1")
        if not (self.entropy_bound > 0 and self.confidence_threshold > 0 and self.stability_threshold >= 0):
            raise RecordError(
                "entropy_bound and confidence_threshold must be positive, stability_threshold not negative"
            )
        if not (0 <= self.t_min <= self.t_max and self.t_max > 0):
            raise RecordError("temperatures must satisfy 0 <= t_min <= t_max and t_max > 0")
        if not self.eos_token_ids:
            raise RecordError("eos_token_ids is empty, so no line could ever end")


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """Spellings of the tokens that are not words.

    Attributes:
        bos: begin-of-sequence token.
        special: every special token of the tokenizer.
        channel_open: start of a thinking block, None if the model has none.
        channel_close: end of a thinking block, None if the model has none.
    """

    bos: str
    special: tuple[str, ...]
    channel_open: str | None
    channel_close: str | None


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Size in bytes and SHA-256 (lower-case hex) of one file of the bundle."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BundleManifest:
    """All of bundle.json, in the order in which it is written.

    `slices` holds the signature of each slice if the step graph was cut, and is empty if it is whole.
    """

    format: str
    format_version: int
    name: str
    licence: str
    source: Source
    exporter: dict[str, str]
    target: str
    left_out: tuple[str, ...]
    geometry: Geometry
    quantisation: Quantisation
    signature: GraphSignature
    generation: GenerationDefaults
    tokens: TokenFacts
    files: dict[str, FileRecord]
    slices: tuple[GraphSignature, ...] = ()

    def __post_init__(self) -> None:
        ids = (*self.generation.eos_token_ids, self.generation.pad_token_id)
        if not all(0 <= token_id < self.geometry.vocab_size for token_id in ids):
            raise RecordError(f"eos_token_ids or pad_token_id lie outside the vocabulary of {self.geometry.vocab_size}")
        if self.slices:
            check_slices(self.signature, self.slices)

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Check what json.loads gave and build the manifest; RecordError names the path of what is wrong."""
        return record_from(cls, data, "manifest")

    def to_json(self) -> str:
        """The text of bundle.json, with a final newline."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"
