"""The step graph in ONNX Runtime: passes over it on numpy arrays, whole or a slice at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime

from runtime.bundle import GRAPH_FILE, Bundle
from runtime.checks import check_int
from runtime.denoise import Floats, Ints, StepInputs, StepOutput
from runtime.errors import BundleError, ModelError
from runtime.signature import Geometry, TensorSpec

MAX_THREADS = 256

_ONNX_TYPES = {"int64": "tensor(int64)", "float32": "tensor(float)", "bool": "tensor(bool)"}
_STEP_OUTPUTS = ("sampled", "argmax", "entropy", "next_soft_embeddings")
_LOG_FATAL_ONLY = 4


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keys and values of everything encoded so far, rows being conversations.

    Attributes:
        arrays: past_key_0, past_value_0, past_key_1, ...: float32 [batch, kv_heads, length, head_dim], by layer.
        pad_length: int64 [batch], padding positions at the start of each row; they are never attended.
    """

    arrays: tuple[Floats, ...]
    pad_length: Ints

    @property
    def length(self) -> int:
        """Positions held, padding included."""
        return int(self.arrays[0].shape[2])

    @classmethod
    def empty(cls, geometry: Geometry, pad_length: Ints) -> Self:
        """A prefix of no positions, with one row for each entry of `pad_length`."""
        batch = len(pad_length)
        arrays = [
            np.zeros((batch, layer.kv_heads, 0, layer.head_dim), dtype=np.float32)
            for layer in geometry.layers
            for _ in ("key", "value")
        ]
        return cls(tuple(arrays), pad_length)


Result = TypeVar("Result")


class Pass(Generic[Result]):
    """One pass over the step graph, run a slice at a time by whoever decides when.

    Args:
        run: the work of the whole pass, which is one slice.
    """

    def __init__(self, run: Callable[[], Result]) -> None:
        self.slices_done = 0
        self._run = run
        self._result: Result | None = None

    @property
    def finished(self) -> bool:
        """All slices have run."""
        return self._result is not None

    @property
    def result(self) -> Result:
        """What the pass computed; only when it has finished."""
        assert self._result is not None
        return self._result

    def run_slice(self) -> None:
        """Run the next slice. Raises ModelError when the graph fails or its numbers cannot be used."""
        self._result = self._run()
        self.slices_done += 1


class StepSession:
    """One loaded step graph; stateless between calls, used by one thread at a time.

    Args:
        bundle: a verified bundle.
        threads: CPU threads of one run, the calling thread included.

    Raises:
        BundleError: ONNX Runtime cannot load the graph, or its inputs and outputs are not the manifest's.
        RequestError: `threads` is out of range.
    """

    def __init__(self, bundle: Bundle, threads: int = 1) -> None:
        self.geometry = bundle.manifest.geometry
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = check_int("threads", threads, 1, MAX_THREADS)
        options.inter_op_num_threads = 1
        options.log_severity_level = _LOG_FATAL_ONLY
        # Worker threads that spin while they wait would take a core from the game between two steps.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                str(bundle.graph_path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        # The library's exceptions share no public base class.
        except Exception as error:
            raise BundleError(
                f"ONNX Runtime {onnxruntime.__version__} cannot load {GRAPH_FILE}: {error}",
                "Update onnxruntime, or export the model again",
            ) from error
        signature = bundle.manifest.signature
        _check_tensors("input", signature.inputs, self._session.get_inputs())
        _check_tensors("output", signature.outputs, self._session.get_outputs())
        self._past_names = tuple(spec.name for spec in signature.inputs if spec.name.startswith("past_"))
        self._present_names = tuple(spec.name for spec in signature.outputs if spec.name.startswith("present_"))

    @property
    def slices(self) -> int:
        """Slices of each pass."""
        return 1

    def begin_encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Pass[Prefix]:
        """A causal pass that is still to run; arguments and result as of `encode`."""
        return Pass(lambda: self.encode(ids, prefix, pad_length))

    def begin_denoise(self, inputs: StepInputs, prefix: Prefix) -> Pass[StepOutput]:
        """A denoising step that is still to run; arguments and result as of `denoise`."""
        return Pass(lambda: self.denoise(inputs, prefix))

    def encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Prefix:
        """Run the causal pass over `ids` behind `prefix` and return the longer prefix.

        Args:
            ids: int64 [batch, length].
            prefix: what was encoded before; None to start.
            pad_length: int64 [batch], left padding of each row, given with the first call only; None for no padding.

        Raises:
            ModelError: the graph fails.
        """
        batch, length = ids.shape
        if prefix is None:
            no_padding = np.zeros(batch, dtype=np.int64)
            prefix = Prefix.empty(self.geometry, no_padding if pad_length is None else pad_length)
        nothing = StepInputs(
            canvas=ids,
            soft_embeddings=np.zeros((batch, length, self.geometry.hidden_size), dtype=np.float32),
            temperature=np.ones(batch, dtype=np.float32),
            uniform=np.zeros((batch, 0), dtype=np.float32),
        )
        present = self._run(self._present_names, nothing, prefix, denoise=False, rows=0)
        grown = (np.concatenate(pair, axis=2) for pair in zip(prefix.arrays, present, strict=True))
        return Prefix(tuple(grown), prefix.pad_length)

    def denoise(self, inputs: StepInputs, prefix: Prefix) -> StepOutput:
        """Run one bidirectional step of the canvases behind their prefixes.

        Raises:
            ModelError: the graph fails, or an entropy or soft embedding is not a finite number.
        """
        length = inputs.canvas.shape[1]
        output = StepOutput(*self._run(_STEP_OUTPUTS, inputs, prefix, denoise=True, rows=length))
        if not (np.isfinite(output.entropy).all() and np.isfinite(output.soft_embeddings).all()):
            raise ModelError(
                "the model computed numbers that are not finite",
                "Ask again; if it stays, export the model again with --verify",
                code="not-finite",
            )
        return output

    def _run(
        self, outputs: tuple[str, ...], inputs: StepInputs, prefix: Prefix, *, denoise: bool, rows: int
    ) -> list[npt.NDArray[Any]]:
        feed = {
            "input_ids": inputs.canvas,
            "soft_embeddings": inputs.soft_embeddings,
            "denoise": np.array(denoise),
            "pad_length": prefix.pad_length,
            "logit_rows": np.arange(rows, dtype=np.int64),
            "temperature": inputs.temperature,
            "uniform": inputs.uniform,
        }
        feed.update(zip(self._past_names, prefix.arrays, strict=True))
        try:
            return list(self._session.run(list(outputs), feed))
        except Exception as error:
            task = "a denoising step" if denoise else "encoding"
            raise ModelError(
                f"ONNX Runtime failed in {task}: {error}", "Free memory, or export the model again with --verify"
            ) from error


def _check_tensors(role: str, expected: tuple[TensorSpec, ...], found: list[Any]) -> None:
    names, found_names = [spec.name for spec in expected], [tensor.name for tensor in found]
    if names != found_names:
        odd = next(iter(set(names) ^ set(found_names)), "a name out of order")
        raise _not_as_described(f"its {role}s are other ones than the manifest's ({odd})")
    for spec, tensor in zip(expected, found, strict=True):
        if tensor.type != _ONNX_TYPES[spec.dtype]:
            raise _not_as_described(f"{role} {spec.name} is {tensor.type}, not {spec.dtype}")
        if not _shapes_agree(spec.shape, tuple(tensor.shape)):
            raise _not_as_described(f"{role} {spec.name} has shape {list(tensor.shape)}, not {list(spec.shape)}")


def _shapes_agree(expected: tuple[str | int, ...], found: tuple[str | int | None, ...]) -> bool:
    """Sizes must be equal; the names of dynamic dimensions are the tracer's own business."""
    return len(expected) == len(found) and all(
        not isinstance(size, int) or size == wanted for wanted, size in zip(expected, found, strict=True)
    )


def _not_as_described(problem: str) -> BundleError:
    return BundleError(f"{GRAPH_FILE} is not the graph that bundle.json describes: {problem}", "Export the model again")
