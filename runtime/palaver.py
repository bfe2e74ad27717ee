"""The library: load a model, ask for lines."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from runtime.bundle import load_bundle
from runtime.draft import Draft
from runtime.engine import Engine
from runtime.job import StepReport
from runtime.line import Line
from runtime.npc import Npc
from runtime.outcome import Finished
from runtime.pocket import POCKET_MODEL
from runtime.request import AskOptions, AskRequest

# Where only a tick can let the engine go on, there is no telling when that comes.
_LONGEST_SLEEP_S = 0.002


class Palaver:
    """Asks an engine and waits; one line at a time, from any thread.

    Args:
        engine: used by nobody else.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._turn = threading.Lock()

    def ask(
        self,
        npc: Npc,
        text: str,
        *,
        on_step: Callable[[StepReport], None] | None = None,
        on_draft: Callable[[Draft], None] | None = None,
        draft_every_ms: int = 0,
        **options: Unpack[AskOptions],
    ) -> Line:
        """The character's answer to what the player says; blocks until it is there.

        Args:
            npc: who answers.
            text: what the player says.
            on_step: called after each denoising step with all its numbers; must not ask in turn.
            on_draft: called with the line so far; must not ask in turn.
            draft_every_ms: least time between two drafts; 0 for one after each step.
            options: seed, steps, deadline_ms and the like, as of `AskRequest`.

        Raises:
            RequestError: the request is outside its limits.
            ModelError: the model failed.
        """
        request = AskRequest(npc, text, draft_every_ms=draft_every_ms, **options)
        with self._turn:
            job_id = self.engine.submit(request, on_step, on_draft=on_draft)
            try:
                return self._wait(job_id)
            finally:
                # Ctrl-C or an error raised in on_step would otherwise leave the job to the next question.
                self.engine.cancel(job_id)

    def _wait(self, job_id: int) -> Line:
        while True:
            for outcome in self.engine.step():
                # One that an interrupted question left behind.
                if outcome.job_id != job_id:
                    continue
                if isinstance(outcome, Finished):
                    return outcome.line
                raise outcome.error
            time.sleep(min(self.engine.wait_s(), _LONGEST_SLEEP_S))


def load(model_dir: Path | str | None = None, *, threads: int = 1) -> Palaver:
    """Load a bundle, verify it, and make it ready for questions.

    Args:
        model_dir: folder of the bundle; None for the pocket model that ships with Palaver.
        threads: CPU threads of the step graph; more than one helps with large models only.

    Raises:
        BundleError: the bundle is missing, damaged or of another version.
    """
    engine = Engine(load_bundle(POCKET_MODEL if model_dir is None else model_dir), threads=threads)
    engine.calibrate()
    return Palaver(engine)
