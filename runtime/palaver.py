"""The library: load a model, ask for lines and choices."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

from runtime.bundle import load_bundle
from runtime.choice import Choice, ChooseOptions, ChooseRequest
from runtime.draft import Draft
from runtime.engine import Engine
from runtime.errors import RequestError
from runtime.filters import StudioFilters
from runtime.job import StepReport
from runtime.line import Line
from runtime.npc import Npc
from runtime.outcome import Chosen, Failed, Finished
from runtime.pocket import POCKET_MODEL
from runtime.prefix_cache import DEFAULT_CACHE_MB
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
        on_unit: Callable[[], None] | None = None,
        **options: Unpack[AskOptions],
    ) -> Line:
        """The character's answer to what the player says; blocks until it is there.

        Args:
            npc: who answers.
            text: what the player says.
            on_step: called after each denoising step with all its numbers; must not ask in turn.
            on_draft: called with the line so far; must not ask in turn.
            draft_every_ms: least time between two drafts; 0 for one after each step.
            on_unit: called before each unit of compute; what it raises ends the question.
            options: seed, steps, deadline_ms and the like, as of `AskRequest`.

        Raises:
            RequestError: the request is outside its limits.
            ModelError: the model failed.
        """
        request = AskRequest(npc, text, draft_every_ms=draft_every_ms, **options)
        outcome = self._wait(lambda: self.engine.submit(request, on_step, on_draft=on_draft), on_unit)
        assert isinstance(outcome, Finished)
        return outcome.line

    def choose(
        self,
        npc: Npc,
        text: str,
        options: Sequence[str],
        *,
        on_unit: Callable[[], None] | None = None,
        **more: Unpack[ChooseOptions],
    ) -> Choice:
        """Which of several authored answers fits best to what the player says; blocks until that is known.

        Args:
            npc: who answers.
            text: what the player says.
            options: 2 to 16 answers that the character may give.
            on_unit: called before each unit of compute; what it raises ends the question.
            more: history, deadline_ms and the like, as of `ChooseRequest`.

        Raises:
            RequestError: the request is outside its limits.
            ModelError: the model failed.
        """
        request = ChooseRequest(npc, text, options, **more)
        outcome = self._wait(lambda: self.engine.submit_choice(request), on_unit)
        assert isinstance(outcome, Chosen)
        return outcome.choice

    def _wait(self, submit: Callable[[], int], on_unit: Callable[[], None] | None) -> Finished | Chosen:
        """Submit a job and wait for its outcome; raises the error of one that failed."""
        with self._turn:
            job_id = submit()
            try:
                while True:
                    if on_unit is not None:
                        on_unit()
                    for outcome in self.engine.step():
                        # One that an interrupted question left behind.
                        if outcome.job_id != job_id:
                            continue
                        if isinstance(outcome, Failed):
                            raise outcome.error
                        return outcome
                    time.sleep(min(self.engine.wait_s(), _LONGEST_SLEEP_S))
            finally:
                # Ctrl-C or an error raised in a callback would otherwise leave the job to the next question.
                self.engine.cancel(job_id)


def load(
    model_dir: Path | str | None = None,
    *,
    threads: int = 1,
    prompt_tokens: int | None = None,
    prefix_cache_mb: int = DEFAULT_CACHE_MB,
    filters: StudioFilters | None = None,
) -> Palaver:
    """Load a bundle, verify it, and make it ready for questions.

    Args:
        model_dir: folder of the bundle; None for the pocket model that ships with Palaver.
        threads: CPU threads of the step graph; more than one helps with large models only.
        prompt_tokens: most tokens of a prompt, 64 or more; None for what suits the model.
        prefix_cache_mb: memory for encoded personas, 0 to 65536; 0 to keep none.
        filters: the studio's, which every line of the model goes through; None for none.

    Raises:
        BundleError: the bundle is missing, damaged or of another version.
        RequestError: a number is out of range, or `filters` are no StudioFilters.
    """
    if filters is not None and not isinstance(filters, StudioFilters):
        raise RequestError(
            f"filters must be StudioFilters, not {type(filters).__name__}", "Give StudioFilters((function,))"
        )
    engine = Engine(
        load_bundle(POCKET_MODEL if model_dir is None else model_dir),
        threads=threads,
        prompt_tokens=prompt_tokens,
        prefix_cache_mb=prefix_cache_mb,
        filters=filters,
    )
    engine.calibrate()
    return Palaver(engine)
