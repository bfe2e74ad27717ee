"""Loading the model in a thread, so that the sidecar answers while it lasts."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.errors import PalaverError
from runtime.fallback import FallbackLines
from runtime.filters import StudioFilters
from runtime.frame_budget import TICK_TIMEOUT_S

if TYPE_CHECKING:
    from runtime.engine import Engine

# Of the step graph, the planner and the engine, which have to be known before those are there.
MAX_THREADS = 256
MAX_BATCH = 64
DEFAULT_BATCH = 4
MAX_CACHE_MB = 65_536
DEFAULT_CACHE_MB = 256

Progress = Callable[[float], None]

# How far the loading is behind each of its parts, roughly as they take time.
_IMPORTED = 0.1
_VERIFIED = 0.5
_LOADED = 0.9

_log = logging.getLogger("palaver")


class Loading:
    """Runs `load` in a thread of its own.

    Args:
        load: makes the engine; is given a function that takes its progress, 0 to 1.
        done: called in that thread when it has ended either way.
    """

    def __init__(self, load: Callable[[Progress], "Engine"], done: Callable[[], None]) -> None:
        self._load = load
        self._done = done
        self._progress = 0.0
        self._engine: Engine | None = None
        self._error: PalaverError | None = None
        # Daemonic: the sidecar may have to end before its model is there.
        self._thread = threading.Thread(target=self._run, name="load", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def progress(self) -> float:
        """0 to 1; never goes back."""
        return self._progress

    def engine(self) -> "Engine | None":
        """The engine once it is loaded. Raises what the loading failed with."""
        if self._error is not None:
            raise self._error
        return self._engine

    def _run(self) -> None:
        began_s = time.perf_counter()
        try:
            engine = self._load(self._advance)
        except PalaverError as error:
            self._error = error
        except BaseException as error:
            _log.exception("the model could not be loaded")
            self._error = PalaverError(f"{type(error).__name__}: {error}", "Please report this", code="internal")
        else:
            self._progress = 1.0
            self._engine = engine
            _log.info("the model is loaded after %.2f s", time.perf_counter() - began_s)
        self._done()

    def _advance(self, progress: float) -> None:
        self._progress = max(self._progress, min(progress, 1.0))


def load_engine(
    folder: Path,
    progress: Progress,
    *,
    threads: int = 1,
    max_batch: int = DEFAULT_BATCH,
    tick_timeout_s: float = TICK_TIMEOUT_S,
    fallbacks: FallbackLines | None = None,
    prompt_tokens: int | None = None,
    prefix_cache_mb: int = DEFAULT_CACHE_MB,
    filters: StudioFilters | None = None,
) -> "Engine":
    """Load a bundle, verify it, and run it a few times to learn what it costs.

    Raises:
        BundleError: the bundle is missing, damaged or of another version.
        ModelError: it cannot be run.
    """
    # Loading ONNX Runtime takes a moment too, in which the sidecar can answer already.
    from runtime.bundle import load_bundle
    from runtime.engine import Engine

    progress(_IMPORTED)
    bundle = load_bundle(folder, on_read=lambda share: progress(_IMPORTED + share * (_VERIFIED - _IMPORTED)))
    engine = Engine(
        bundle,
        threads=threads,
        max_batch=max_batch,
        tick_timeout_s=tick_timeout_s,
        fallbacks=fallbacks,
        prompt_tokens=prompt_tokens,
        prefix_cache_mb=prefix_cache_mb,
        filters=filters,
    )
    progress(_LOADED)
    engine.calibrate()
    return engine
