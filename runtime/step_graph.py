"""The graphs of a bundle in ONNX Runtime: the whole step in one, or a slice of it in each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
import onnxruntime

from runtime.checks import check_int
from runtime.errors import BundleError
from runtime.signature import GraphSignature, TensorSpec

MAX_THREADS = 256

Tensors = dict[str, npt.NDArray[Any]]

_ONNX_TYPES = {"int64": "tensor(int64)", "float32": "tensor(float)", "bool": "tensor(bool)"}
_LOG_FATAL_ONLY = 4


class StepGraph:
    """Loaded slices, in the order in which they run; stateless between calls, used by one thread at a time.

    All of them map the same weights file into memory. A slice keeps what its own operators read, so that slices hold
    the weights once between them, as the whole graph does.

    Args:
        folder: where the graphs and their weights lie.
        graphs: file name and signature of each slice.
        threads: CPU threads of one run, the calling thread included.

    Raises:
        BundleError: ONNX Runtime cannot load a graph, or its inputs and outputs are not those of its signature.
        RequestError: `threads` is out of range.
    """

    def __init__(self, folder: Path, graphs: Mapping[str, GraphSignature], threads: int = 1) -> None:
        options = _session_options(threads)
        self.signatures = tuple(graphs.values())
        self._sessions = tuple(_load(folder, name, signature, options) for name, signature in graphs.items())

    def __len__(self) -> int:
        return len(self._sessions)

    def run(self, number: int, tensors: Tensors, outputs: list[str]) -> Tensors:
        """Run one slice on the inputs that it finds among `tensors`; whatever ONNX Runtime raises comes out of here."""
        feed = {spec.name: tensors[spec.name] for spec in self.signatures[number].inputs}
        found: list[npt.NDArray[Any]] = self._sessions[number].run(outputs, feed)
        return dict(zip(outputs, found, strict=True))


def _session_options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = check_int("threads", threads, 1, MAX_THREADS)
    options.inter_op_num_threads = 1
    options.log_severity_level = _LOG_FATAL_ONLY
    # Worker threads that spin while they wait would take a core from the game between two steps.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return options


def _load(folder: Path, name: str, signature: GraphSignature, options: Any) -> Any:
    try:
        session = onnxruntime.InferenceSession(
            str(folder / name), sess_options=options, providers=["CPUExecutionProvider"]
        )
    # The library's exceptions share no public base class.
    except Exception as error:
        raise BundleError(
            f"ONNX Runtime {onnxruntime.__version__} cannot load {name}: {error}",
            "Update onnxruntime, or export the model again",
        ) from error
    _check_tensors(name, "input", signature.inputs, session.get_inputs())
    _check_tensors(name, "output", signature.outputs, session.get_outputs())
    return session


def _check_tensors(file: str, role: str, expected: tuple[TensorSpec, ...], found: list[Any]) -> None:
    names, found_names = [spec.name for spec in expected], [tensor.name for tensor in found]
    if names != found_names:
        odd = next(iter(set(names) ^ set(found_names)), "a name out of order")
        raise _not_as_described(file, f"its {role}s are other ones than the manifest's ({odd})")
    for spec, tensor in zip(expected, found, strict=True):
        if tensor.type != _ONNX_TYPES[spec.dtype]:
            raise _not_as_described(file, f"{role} {spec.name} is {tensor.type}, not {spec.dtype}")
        if not _shapes_agree(spec.shape, tuple(tensor.shape)):
            raise _not_as_described(file, f"{role} {spec.name} has shape {list(tensor.shape)}, not {list(spec.shape)}")


def _shapes_agree(expected: tuple[str | int, ...], found: tuple[str | int | None, ...]) -> bool:
    """Sizes must be equal; the names of dynamic dimensions are the tracer's own business."""
    return len(expected) == len(found) and all(
        not isinstance(size, int) or size == wanted for wanted, size in zip(expected, found, strict=True)
    )


def _not_as_described(file: str, problem: str) -> BundleError:
    return BundleError(f"{file} is not the graph that bundle.json describes: {problem}", "Export the model again")
