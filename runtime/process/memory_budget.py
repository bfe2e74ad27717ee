"""How much memory a sidecar takes at most, added up from the manifest before the model is loaded."""

from dataclasses import dataclass

from runtime.bundle import WEIGHTS_FILE
from runtime.errors import PalaverError
from runtime.manifest import BundleManifest
from runtime.prompt_budget import PromptBudget
from runtime.signature import Geometry

MAX_BUDGET_MB = 1 << 20

_MB = 1 << 20
_FLOAT_BYTES = 4
_PROCESS_MB = 120  # Python, ONNX Runtime, ZeroMQ and what they leave lying about
_TOKENIZER_COPIES = 12  # the file of a tokenizer as it is held in memory
_KEY_VALUE_COPIES = 3  # a prompt's own, those of a pass that several share, and with the new positions behind them
_VOCABULARY_ARRAYS = 7  # logits, capped, scaled, log probabilities, probabilities, two of the draw
_HIDDEN_ARRAYS = 16  # of the widest layer, alive at a time


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Parts of a sum, each in 2**20 bytes.

    Attributes:
        process_mb: the program without a model.
        weights_mb: the model's weights, once: mapped from their file, or unpacked in its place.
        prompts_mb: keys and values of the lines that share a pass, each behind the longest prompt.
        step_mb: what a denoising step of a whole canvas computes with.
        prefix_cache_mb: encoded personas.
    """

    process_mb: int
    weights_mb: int
    prompts_mb: int
    step_mb: int
    prefix_cache_mb: int

    @property
    def without_cache_mb(self) -> int:
        """The least that these lines take."""
        return self.process_mb + self.weights_mb + self.prompts_mb + self.step_mb

    @property
    def total_mb(self) -> int:
        """The most that the sidecar takes."""
        return self.without_cache_mb + self.prefix_cache_mb

    def describe(self) -> str:
        """The sum, written out."""
        return (
            f"{self.process_mb} MB program + {self.weights_mb} MB weights + {self.prompts_mb} MB prompts + "
            f"{self.step_mb} MB step + {self.prefix_cache_mb} MB encoded personas = {self.total_mb} MB"
        )


def memory_need(
    manifest: BundleManifest, *, max_batch: int, prompt_tokens: int | None, prefix_cache_mb: int
) -> MemoryNeed:
    """Add up what a sidecar with these settings takes.

    Raises:
        RequestError: the model takes no prompts of that length.
    """
    geometry = manifest.geometry
    longest_prompt = PromptBudget.for_model(geometry, prompt_tokens).prompt_tokens
    positions = min(longest_prompt + 2 * geometry.canvas_length, geometry.max_positions)
    weights = manifest.files[WEIGHTS_FILE].bytes
    graphs = sum(record.bytes for name, record in manifest.files.items() if name.endswith(".onnx"))
    tokenizer = sum(record.bytes for name, record in manifest.files.items() if name.startswith("tokenizer"))
    step = (
        max_batch
        * geometry.canvas_length
        * _FLOAT_BYTES
        * (_VOCABULARY_ARRAYS * geometry.vocab_size + _HIDDEN_ARRAYS * len(geometry.layers) * geometry.hidden_size)
    )
    return MemoryNeed(
        process_mb=_PROCESS_MB + _mb(_TOKENIZER_COPIES * tokenizer),
        weights_mb=_mb(weights + 2 * graphs),
        prompts_mb=_mb(_KEY_VALUE_COPIES * max_batch * positions * position_bytes(geometry)),
        step_mb=_mb(step),
        prefix_cache_mb=prefix_cache_mb,
    )


def position_bytes(geometry: Geometry) -> int:
    """Bytes of the keys and values of one position."""
    return 2 * _FLOAT_BYTES * sum(layer.kv_heads * layer.head_dim for layer in geometry.layers)


def prefix_cache_within(budget_mb: int, need: MemoryNeed) -> int:
    """The room for encoded personas, in 2**20 bytes, that a budget leaves; no more than was asked for.

    Raises:
        PalaverError: ("over-budget") the rest alone does not fit; the sum is written out.
    """
    if need.without_cache_mb > budget_mb:
        raise PalaverError(
            f"the memory budget is {budget_mb} MB, but this sidecar may take {need.describe()}",
            "Give a larger --memory-budget-mb, a smaller --max-batch or --prompt-tokens, or a bundle whose weights are "
            "stored in fewer bits",
            code="over-budget",
        )
    return min(need.prefix_cache_mb, budget_mb - need.without_cache_mb)


def _mb(count: int) -> int:
    return -(-count // _MB)
