"""The library: load a model, ask for lines."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from runtime.bundle import load_bundle
from runtime.engine import Engine, Finished
from runtime.job import StepReport
from runtime.line import Line
from runtime.npc import Npc
from runtime.request import AskRequest

POCKET_MODEL = Path(__file__).parent / "models" / "pocket"


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
        seed: int | None = None,
        steps: int | None = None,
        max_tokens: int | None = None,
        history: Sequence[tuple[str, str]] = (),
        on_step: Callable[[StepReport], None] | None = None,
    ) -> Line:
        """The character's answer to what the player says; blocks until it is whole.

        Args:
            npc: who answers.
            text: what the player says.
            seed: for the same line again; random by default, and the line tells it.
            steps: most denoising steps a canvas.
            max_tokens: most tokens of the line.
            history: earlier turns, oldest first, each (what the player said, what the character answered).
            on_step: called after each denoising step with the whole draft; must not ask in turn.

        Raises:
            RequestError: the request is outside its limits.
            ModelError: the model failed.
        """
        request = AskRequest(npc, text, seed, steps, max_tokens, history)
        with self._turn:
            job_id = self.engine.submit(request, on_step)
            try:
                return self._wait()
            finally:
                # Ctrl-C or an error raised in on_step would otherwise leave the job to the next question.
                self.engine.cancel(job_id)

    def _wait(self) -> Line:
        while True:
            for outcome in self.engine.step():
                if isinstance(outcome, Finished):
                    return outcome.line
                raise outcome.error


def load(model_dir: Path | str | None = None, *, threads: int = 1) -> Palaver:
    """Load a bundle, verify it, and make it ready for questions.

    Args:
        model_dir: folder of the bundle; None for the pocket model that ships with Palaver.
        threads: CPU threads of the step graph; more than one helps with large models only.

    Raises:
        BundleError: the bundle is missing, damaged or of another version.
    """
    return Palaver(Engine(load_bundle(POCKET_MODEL if model_dir is None else model_dir), threads=threads))
