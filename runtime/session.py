"""Passes over the step graph on numpy arrays, run whole or a slice at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from runtime.bundle import Bundle
from runtime.denoise import Floats, Ints, StepInputs, StepOutput
from runtime.errors import ModelError
from runtime.signature import Geometry
from runtime.step_graph import StepGraph, Tensors

_STEP_OUTPUTS = ("sampled", "argmax", "entropy", "next_soft_embeddings")


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
        task: what the pass does, for an error.
        graph: the slices.
        plan: names of the outputs that are wanted of each slice that has to run, in order.
        tensors: inputs of the pass.
        finish: makes the result of the inputs and of all outputs.
    """

    def __init__(
        self,
        task: str,
        graph: StepGraph,
        plan: tuple[list[str], ...],
        tensors: Tensors,
        finish: Callable[[Tensors], Result],
    ) -> None:
        self.slices_done = 0
        self._task = task
        self._graph = graph
        self._plan = plan
        self._tensors = tensors
        self._finish = finish
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
        number = self.slices_done
        try:
            self._tensors |= self._graph.run(number, self._tensors, self._plan[number])
        except Exception as error:
            raise ModelError(
                f"ONNX Runtime failed in {self._task}: {error}", "Free memory, or export the model again with --verify"
            ) from error
        if number + 1 == len(self._plan):
            self._result = self._finish(self._tensors)
            self._tensors = {}
        self.slices_done += 1

    def run(self) -> Result:
        """Run all slices that are left and return the result. Raises ModelError as `run_slice` does."""
        while not self.finished:
            self.run_slice()
        return self.result


class StepSession:
    """One loaded step graph; stateless between calls, used by one thread at a time.

    Args:
        bundle: a verified bundle.
        threads: CPU threads of one run, the calling thread included.

    Raises:
        BundleError: ONNX Runtime cannot load a graph, or its inputs and outputs are not the manifest's.
        RequestError: `threads` is out of range.
    """

    def __init__(self, bundle: Bundle, threads: int = 1) -> None:
        manifest = bundle.manifest
        self.geometry = manifest.geometry
        self._graph = StepGraph(bundle.path, bundle.graphs, threads)
        self._past_names = tuple(spec.name for spec in manifest.signature.inputs if spec.name.startswith("past_"))
        self._present_names = tuple(spec.name for spec in manifest.signature.outputs if spec.name not in _STEP_OUTPUTS)
        self._encode_plan = self._plan(wanted=self._present_names, unwanted=_STEP_OUTPUTS)
        self._denoise_plan = self._plan(wanted=_STEP_OUTPUTS, unwanted=self._present_names)

    @property
    def slices(self) -> int:
        """Slices of a denoising step; an encode pass has no more."""
        return len(self._graph)

    def begin_encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Pass[Prefix]:
        """The causal pass over `ids` behind `prefix`, still to run; its result is the longer prefix.

        Args:
            ids: int64 [batch, length].
            prefix: what was encoded before; None to start.
            pad_length: int64 [batch], left padding of each row, given with the first call only; None for no padding.
        """
        batch, length = ids.shape
        if prefix is None:
            no_padding = np.zeros(batch, dtype=np.int64)
            prefix = Prefix.empty(self.geometry, no_padding if pad_length is None else pad_length)
        before = prefix
        nothing = StepInputs(
            canvas=ids,
            soft_embeddings=np.zeros((batch, length, self.geometry.hidden_size), dtype=np.float32),
            temperature=np.ones(batch, dtype=np.float32),
            uniform=np.zeros((batch, 0), dtype=np.float32),
        )

        def longer(tensors: Tensors) -> Prefix:
            pairs = zip(before.arrays, (tensors[name] for name in self._present_names), strict=True)
            return Prefix(tuple(np.concatenate(pair, axis=2) for pair in pairs), before.pad_length)

        tensors = self._tensors(nothing, before, denoise=False, rows=0)
        return Pass("encoding", self._graph, self._encode_plan, tensors, longer)

    def begin_denoise(self, inputs: StepInputs, prefix: Prefix) -> Pass[StepOutput]:
        """One bidirectional step of the canvases behind their prefixes, still to run.

        Its last slice raises ModelError if an entropy or soft embedding is not a finite number.
        """
        tensors = self._tensors(inputs, prefix, denoise=True, rows=inputs.canvas.shape[1])
        return Pass("a denoising step", self._graph, self._denoise_plan, tensors, _step_output)

    def encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Prefix:
        """All of `begin_encode` at once. Raises ModelError when the graph fails."""
        return self.begin_encode(ids, prefix, pad_length).run()

    def denoise(self, inputs: StepInputs, prefix: Prefix) -> StepOutput:
        """All of `begin_denoise` at once. Raises ModelError when the graph fails, or computes what is not finite."""
        return self.begin_denoise(inputs, prefix).run()

    def _plan(self, *, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> tuple[list[str], ...]:
        """Outputs to ask of each slice that has to run: all but the `unwanted`, up to the last that is `wanted`.

        So no encode pass runs a slice that holds nothing but the head.
        """
        outputs = [[spec.name for spec in signature.outputs] for signature in self._graph.signatures]
        last = max(number for number, names in enumerate(outputs) if set(wanted) & set(names))
        return tuple([name for name in names if name not in unwanted] for names in outputs[: last + 1])

    def _tensors(self, inputs: StepInputs, prefix: Prefix, *, denoise: bool, rows: int) -> Tensors:
        tensors: Tensors = {
            "input_ids": inputs.canvas,
            "soft_embeddings": inputs.soft_embeddings,
            "denoise": np.array(denoise),
            "pad_length": prefix.pad_length,
            "logit_rows": np.arange(rows, dtype=np.int64),
            "temperature": inputs.temperature,
            "uniform": inputs.uniform,
        }
        return tensors | dict(zip(self._past_names, prefix.arrays, strict=True))


def _step_output(tensors: Tensors) -> StepOutput:
    output = StepOutput(*(tensors[name] for name in _STEP_OUTPUTS))
    if not (np.isfinite(output.entropy).all() and np.isfinite(output.soft_embeddings).all()):
        raise ModelError(
            "the model computed numbers that are not finite",
            "Ask again; if it stays, export the model again with --verify",
            code="not-finite",
        )
    return output
