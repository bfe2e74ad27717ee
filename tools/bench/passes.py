"""`passes`: what loading a bundle, encoding and denoising steps take, in time and memory, whatever the size."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from runtime.batch import begin
from runtime.bundle import load_bundle
from runtime.denoise import Ints, StepInputs
from runtime.prefill import Prefill
from runtime.process.memory import resident_mb
from runtime.session import Prefix, StepSession

_SEED = 0
_TEMPERATURE = 0.6

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class PassCost:
    """One kind of work.

    Attributes:
        what: its name.
        first_ms: the first time, when weights may still have to be read from the disk.
        median_ms: of the times after that; None where there were none.
        resident_mb: of the process behind it, mapped weights included, in 2**20 bytes.
    """

    what: str
    first_ms: float
    median_ms: float | None
    resident_mb: int


def measure_passes(
    model: Path, prompt_tokens: int, canvases: Sequence[int], rounds: int, threads: int
) -> dict[str, Any]:
    """Load a bundle, encode a prompt of random tokens as the engine does, and take steps of each canvas length."""
    costs: list[PassCost] = []
    random = np.random.default_rng(_SEED)

    def cost(what: str, work: Callable[[], Result], times: int) -> Result:
        result, first_ms = _timed(work)
        later_ms = [_timed(work)[1] for _ in range(times - 1)]
        median_ms = round(statistics.median(later_ms), 2) if later_ms else None
        costs.append(PassCost(what, round(first_ms, 2), median_ms, round(resident_mb())))
        return result

    bundle = cost("reading and checking the files", lambda: load_bundle(model), 1)
    session = cost("loading the graph", lambda: StepSession(bundle, threads), 1)
    geometry = bundle.manifest.geometry
    prompt = random.integers(0, geometry.vocab_size, prompt_tokens)
    prefix = cost(f"encoding {prompt_tokens} tokens", lambda: _encode(session, prompt), rounds)
    for positions in canvases:
        step = StepInputs(
            canvas=random.integers(0, geometry.vocab_size, (1, positions)),
            soft_embeddings=np.zeros((1, positions, geometry.hidden_size), dtype=np.float32),
            temperature=np.full(1, _TEMPERATURE, dtype=np.float32),
            uniform=random.random((1, positions), dtype=np.float32),
        )
        cost(f"a step of {positions} positions", partial(session.denoise, step, prefix), rounds)
    return {"threads": threads, "rounds": rounds, "passes": [asdict(measured) for measured in costs]}


def _encode(session: StepSession, prompt: Ints) -> Prefix:
    prefill = Prefill(prompt)
    while not prefill.done:
        encoded = begin(session, [prefill.work()]).run()
        assert isinstance(encoded, Prefix)
        prefill.take(encoded)
    return prefill.prefix


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    started_s = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started_s) * 1000.0
