"""The engine: owns every job from submission to its one outcome, and runs one unit of compute at a time."""

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from runtime.bundle import Bundle
from runtime.denoise import DenoiseSettings
from runtime.errors import PalaverError, RequestError
from runtime.job import Job, JobPlan, StepReport
from runtime.line import Line
from runtime.prompt import PromptBuilder
from runtime.request import AskRequest
from runtime.session import StepSession
from runtime.text import LineReader

# JSON readers in JavaScript, Godot and Lua hold numbers as doubles, which are exact up to 53 bits.
RANDOM_SEED_BITS = 53

_log = logging.getLogger("palaver")


@dataclass(frozen=True, slots=True)
class Finished:
    """A job that ended with a line."""

    job_id: int
    line: Line


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that ended with an error; the others go on."""

    job_id: int
    error: PalaverError


Outcome = Finished | Failed


class Engine:
    """Makes lines, a unit of compute at a time; used by one thread.

    Every job ends once: as an outcome of `step()`, or by `cancel()`. Same request and seed, same text, whatever else
    was asked before or runs in between.

    Args:
        bundle: a verified bundle.
        threads: CPU threads of the step graph.
        clock: seconds that only go forward; for timings only.

    Raises:
        BundleError: the bundle's graph or chat template cannot be used.
    """

    def __init__(self, bundle: Bundle, *, threads: int = 1, clock: Callable[[], float] = time.perf_counter) -> None:
        manifest = bundle.manifest
        self.bundle = bundle
        self._session = StepSession(bundle, threads)
        self._prompts = PromptBuilder(
            bundle.chat_template, bundle.tokenizer, manifest.tokens.special, manifest.tokens.bos, bundle.eos_token
        )
        self._reader = LineReader(bundle.tokenizer, manifest.tokens)
        self._clock = clock
        self._jobs: dict[int, Job] = {}
        self._last_id = 0

    @property
    def idle(self) -> bool:
        """There is nothing to run."""
        return not self._jobs

    def submit(self, request: AskRequest, on_step: Callable[[StepReport], None] | None = None) -> int:
        """Queue a line and return its job id; `on_step` is called after each of its denoising steps, inside `step()`.

        Raises:
            RequestError: the prompt does not fit the model, or the chat template refuses it.
        """
        plan = self._plan(request)
        self._last_id += 1
        self._jobs[self._last_id] = Job(self._last_id, plan, submitted_s=self._clock(), on_step=on_step)
        return self._last_id

    def cancel(self, job_id: int) -> bool:
        """Forget a job, which then has no outcome; False if it has ended already or never was."""
        return self._jobs.pop(job_id, None) is not None

    def step(self) -> tuple[Outcome, ...]:
        """Run at most one unit of compute (an encode or a denoising step) of one job; return what ended by it.

        An exception from `on_step` comes out of here, and its job is cancelled.
        """
        job = self._pick()
        if job is None:
            return ()
        outcome, report = self._run(job)
        if outcome is not None:
            del self._jobs[job.id]
        if report is not None and job.on_step is not None:
            self._report(job.on_step, report)
        return () if outcome is None else (outcome,)

    def _pick(self) -> Job | None:
        """First come, first served."""
        return next(iter(self._jobs.values()), None)

    def _run(self, job: Job) -> tuple[Outcome | None, StepReport | None]:
        try:
            report = job.run_unit(self._session, self._reader, self._clock)
        except PalaverError as error:
            return Failed(job.id, error), None
        # Whatever else goes wrong inside one job (memory, a defect) must not take the others down.
        except Exception as error:
            _log.exception("job %d failed", job.id)
            problem = PalaverError(f"{type(error).__name__}: {error}", "Please report this", code="internal")
            return Failed(job.id, problem), None
        if job.finish_reason is None:
            return None, report
        return Finished(job.id, job.line(self._clock())), report

    def _report(self, on_step: Callable[[StepReport], None], report: StepReport) -> None:
        try:
            on_step(report)
        except BaseException:
            self.cancel(report.job_id)
            raise

    def _plan(self, request: AskRequest) -> JobPlan:
        geometry, defaults = self.bundle.manifest.geometry, self.bundle.manifest.generation
        prompt_ids = self._prompts.build(request.npc, request.text, request.history)
        max_tokens = request.max_tokens or defaults.max_new_tokens
        longest_prompt = geometry.max_positions - geometry.canvas_length
        if len(prompt_ids) > longest_prompt:
            raise RequestError(
                f"the prompt has {len(prompt_ids)} tokens, at most {longest_prompt} fit this model "
                f"({geometry.max_positions} positions less a canvas of {geometry.canvas_length})",
                "Shorten the knowledge, the history or the text",
                code="prompt-too-long",
            )
        settings = DenoiseSettings(
            vocab_size=geometry.vocab_size,
            hidden_size=geometry.hidden_size,
            steps=request.steps or defaults.max_denoising_steps,
            entropy_bound=defaults.entropy_bound,
            t_min=defaults.t_min,
            t_max=defaults.t_max,
            stability_threshold=defaults.stability_threshold,
            confidence_threshold=defaults.confidence_threshold,
        )
        return JobPlan(
            prompt_ids=prompt_ids,
            seed=secrets.randbits(RANDOM_SEED_BITS) if request.seed is None else request.seed,
            max_tokens=min(max_tokens, geometry.max_positions - len(prompt_ids)),
            canvas_length=geometry.canvas_length,
            eos_token_ids=frozenset(defaults.eos_token_ids),
            settings=settings,
        )
