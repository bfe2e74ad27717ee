"""Passes over the step graph on numpy arrays, run whole or a slice at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from runtime.bundle import Bundle
from runtime.denoise import Floats, Ints, StepInputs, StepOutput
from runtime.errors import ModelError
from runtime.score import ScoreInputs
from runtime.signature import Geometry
from runtime.step_graph import StepGraph, Tensors

_STEP_OUTPUTS = ("sampled", "argmax", "entropy", "next_soft_embeddings")
_SCORE_OUTPUT = "log_likelihood"


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
        outputs = tuple(spec.name for spec in manifest.signature.outputs)
        self._present_names = tuple(name for name in outputs if name.startswith("present_"))
        self._encode_plan = self._plan(wanted=self._present_names, all_outputs=outputs)
        self._denoise_plan = self._plan(wanted=_STEP_OUTPUTS, all_outputs=outputs)
        self._score_plan = self._plan(wanted=(_SCORE_OUTPUT,), all_outputs=outputs)

    @property
    def slices(self) -> int:
        """Slices of a denoising step; no other pass has more."""
        return len(self._graph)

    def begin_encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Pass[Prefix]:
        """The causal pass over `ids` behind `prefix`, still to run; its result is the longer prefix.

        Args:
            ids: int64 [batch, length].
            prefix: what was encoded before; None to start.
            pad_length: int64 [batch], left padding of each row, given with the first call only; None for no padding.
        """
        if prefix is None:
            no_padding = np.zeros(len(ids), dtype=np.int64)
            prefix = Prefix.empty(self.geometry, no_padding if pad_length is None else pad_length)
        before = prefix

        def longer(tensors: Tensors) -> Prefix:
            pairs = zip(before.arrays, (tensors[name] for name in self._present_names), strict=True)
            return Prefix(tuple(np.concatenate(pair, axis=2) for pair in pairs), before.pad_length)

        tensors = self._tensors(self._first_step(ids, rows=0), before, denoise=False)
        return Pass("encoding", self._graph, self._encode_plan, tensors, longer)

    def begin_denoise(self, inputs: StepInputs, prefix: Prefix) -> Pass[StepOutput]:
        """One bidirectional step of the canvases behind their prefixes, still to run.

        Its last slice raises ModelError if an entropy or soft embedding is not a finite number.
        """
        tensors = self._tensors(inputs, prefix, denoise=True)
        return Pass("a denoising step", self._graph, self._denoise_plan, tensors, _step_output)

    def begin_score(self, inputs: ScoreInputs, prefix: Prefix) -> Pass[Floats]:
        """How probable the model finds tokens in the first step from these canvases, still to run.

        Its result is float32 [batch, length], natural logarithms at temperature 1; its last slice raises ModelError if
        one is not a finite number.
        """
        first_step = self._first_step(inputs.canvas, rows=inputs.canvas.shape[1])
        tensors = self._tensors(first_step, prefix, denoise=True) | {"scored_ids": inputs.scored_ids}
        return Pass("scoring", self._graph, self._score_plan, tensors, _log_likelihood)

    def encode(self, ids: Ints, prefix: Prefix | None = None, pad_length: Ints | None = None) -> Prefix:
        """All of `begin_encode` at once. Raises ModelError when the graph fails."""
        return self.begin_encode(ids, prefix, pad_length).run()

    def denoise(self, inputs: StepInputs, prefix: Prefix) -> StepOutput:
        """All of `begin_denoise` at once. Raises ModelError when the graph fails, or computes what is not finite."""
        return self.begin_denoise(inputs, prefix).run()

    def score(self, inputs: ScoreInputs, prefix: Prefix) -> Floats:
        """All of `begin_score` at once. Raises ModelError when the graph fails, or computes what is not finite."""
        return self.begin_score(inputs, prefix).run()

    def _plan(self, *, wanted: tuple[str, ...], all_outputs: tuple[str, ...]) -> tuple[list[str], ...]:
        """Outputs to ask of each slice that has to run: the `wanted` ones, and what only the next slices take.

        So no encode pass runs a slice that holds nothing but the head.
        """
        outputs = [[spec.name for spec in signature.outputs] for signature in self._graph.signatures]
        last = max(number for number, names in enumerate(outputs) if set(wanted) & set(names))
        unwanted = set(all_outputs) - set(wanted)
        return tuple([name for name in names if name not in unwanted] for names in outputs[: last + 1])

    def _first_step(self, canvas: Ints, rows: int) -> StepInputs:
        """Inputs of a pass that is not conditioned on one before it, and whose draws nobody wants."""
        batch, length = canvas.shape
        return StepInputs(
            canvas=canvas,
            soft_embeddings=np.zeros((batch, length, self.geometry.hidden_size), dtype=np.float32),
            temperature=np.ones(batch, dtype=np.float32),
            uniform=np.zeros((batch, rows), dtype=np.float32),
        )

    def _tensors(self, inputs: StepInputs, prefix: Prefix, *, denoise: bool) -> Tensors:
        tensors: Tensors = {
            "input_ids": inputs.canvas,
            "soft_embeddings": inputs.soft_embeddings,
            "denoise": np.array(denoise),
            "pad_length": prefix.pad_length,
            "logit_rows": np.arange(inputs.uniform.shape[1], dtype=np.int64),
            "temperature": inputs.temperature,
            "uniform": inputs.uniform,
            "scored_ids": np.zeros(inputs.uniform.shape, dtype=np.int64),
        }
        return tensors | dict(zip(self._past_names, prefix.arrays, strict=True))


def _step_output(tensors: Tensors) -> StepOutput:
    output = StepOutput(*(tensors[name] for name in _STEP_OUTPUTS))
    _check_finite(output.entropy, output.soft_embeddings)
    return output


def _log_likelihood(tensors: Tensors) -> Floats:
    log_likelihood: Floats = tensors[_SCORE_OUTPUT]
    _check_finite(log_likelihood)
    return log_likelihood


def _check_finite(*arrays: Floats) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise ModelError(
            "the model computed numbers that are not finite",
            "Ask again; if it stays, export the model again with --verify",
            code="not-finite",
        )
