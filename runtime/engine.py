"""The engine: what is asked becomes a job, and every job has one outcome."""

import time
from collections.abc import Callable, Hashable
from typing import cast

from runtime.acted_line import ActedLine
from runtime.actions import concrete_calls, parse_actions
from runtime.bundle import Bundle
from runtime.calibration import calibrate
from runtime.checks import check_int
from runtime.choice import ChooseRequest
from runtime.choice_job import ChoiceJob
from runtime.draft import Draft
from runtime.exactness import Exactness, find_exactness
from runtime.fallback import FallbackLines
from runtime.filters import StudioFilters
from runtime.frame_budget import TICK_TIMEOUT_S
from runtime.job import Job, StepReport
from runtime.open_choice import OpenChoice
from runtime.open_job import Submission
from runtime.open_line import OpenLine
from runtime.plan import plan_job
from runtime.planner import DEFAULT_BATCH
from runtime.prefill import PREFILL_CHUNK, Prefill
from runtime.prefix_cache import DEFAULT_CACHE_MB, PrefixCache
from runtime.prompt import Prompt, PromptBuilder
from runtime.request import AskRequest
from runtime.runner import Runner
from runtime.schedule import MAX_OPEN_JOBS, Policy
from runtime.session import StepSession
from runtime.stage import Stage
from runtime.step_cost import PassKind, Shape
from runtime.text import LineReader
from runtime.wording import Wording
from runtime.world import World

MAX_CACHE_MB = 65_536


class Engine(Runner):
    """Makes lines and choices, a unit of compute at a time; used by one thread.

    Every job ends once: as an outcome of `step()`, or by `cancel()`. Same request and seed, same text, whatever else
    was asked before or runs in between; with a deadline, same seed and same number of steps.

    Args:
        bundle: a verified bundle.
        threads: CPU threads of the step graph.
        clock: seconds that only go forward.
        session: the bundle's step graph if it is loaded already.
        max_open: jobs open at once; beyond it the answer is "busy".
        max_batch: jobs that may share a pass, 1 to 64.
        tick_timeout_s: without a tick for this long the game counts as paused, and unused budget is lost.
        fallbacks: what remembers the last line of each character, if somebody else speaks for them too.
        prompt_tokens: most tokens of a prompt; None for what suits the model.
        prefix_cache_mb: memory for encoded personas, 0 to 65536; 0 to keep none.
        filters: the studio's, which every line of the model goes through.

    Raises:
        BundleError: the bundle's graph or chat template cannot be used.
        RequestError: a number is out of range.
    """

    def __init__(
        self,
        bundle: Bundle,
        *,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
        session: StepSession | None = None,
        max_open: int = MAX_OPEN_JOBS,
        max_batch: int = DEFAULT_BATCH,
        tick_timeout_s: float = TICK_TIMEOUT_S,
        fallbacks: FallbackLines | None = None,
        prompt_tokens: int | None = None,
        prefix_cache_mb: int = DEFAULT_CACHE_MB,
        filters: StudioFilters | None = None,
    ) -> None:
        manifest = bundle.manifest
        self.bundle = bundle
        self._prompts = PromptBuilder.of(bundle, prompt_tokens)
        self.prefixes = PrefixCache(check_int("prefix_cache_mb", prefix_cache_mb, 0, MAX_CACHE_MB) << 20)
        self._threads = threads
        self._reader = LineReader(bundle.tokenizer, manifest.tokens)
        self._filters = StudioFilters() if filters is None else filters
        self._stage = Stage.of(bundle)
        self._fallbacks = FallbackLines() if fallbacks is None else fallbacks
        super().__init__(
            StepSession(bundle, threads) if session is None else session,
            clock,
            max_open=max_open,
            max_batch=max_batch,
            tick_timeout_s=tick_timeout_s,
        )

    @property
    def exactness(self) -> Exactness:
        """What `calibrate` found out about the bits of a line."""
        return self._planner.exactness

    def calibrate(self) -> None:
        """Run a few passes, to know what the usual shapes cost, and whether rows that share a pass change each other.

        Without it the first lines teach the costs, and only asks that are not `deterministic` share passes.

        Raises:
            ModelError: the graph fails.
        """
        session, geometry = self._compute.session, self.bundle.manifest.geometry
        calibrate(session, geometry, self._compute.cost, self._clock)
        self._planner.exactness = find_exactness(self.bundle, session, self._threads, self._planner.max_batch)

    def step_s(self) -> float:
        """Seconds that a denoising step of a full canvas behind a short prompt will hardly exceed; 0 if unknown."""
        return self._compute.pass_s(Shape(PassKind.DENOISE, self.bundle.manifest.geometry.canvas_length, PREFILL_CHUNK))

    def submit(
        self,
        request: AskRequest,
        on_step: Callable[[StepReport], None] | None = None,
        *,
        on_draft: Callable[[Draft], None] | None = None,
        owner: Hashable = None,
    ) -> int:
        """Queue a line and return its job id.

        Args:
            request: what is asked.
            on_step: called after each of its denoising steps, inside `step()`.
            on_draft: called with the line so far, as often as `request.draft_every_ms` says; None there is taken as 0.
            owner: whose characters they are; the same character of two owners is two.

        Raises:
            RequestError: the prompt does not fit the model, the chat template refuses it, or there is no room ("busy",
                "npc-busy").
        """
        came = Submission(owner, (owner, request.npc.id), self._clock())
        prompt = self.prompt(request)
        plan = plan_job(self.bundle, prompt.ids, request)
        wording = Wording(request, self._reader, self.bundle.manifest.tokens.special, self._filters)
        line = Job(self._last_id + 1, plan, wording, self._prefill(prompt))
        job = ActedLine(line, concrete_calls(parse_actions(request.npc.actions)), self._stage)
        opened = OpenLine(job, came, request, self._fallbacks, on_step, on_draft)
        return self._admit(opened, request.priority, request.deadline_ms, Policy(request.policy))

    def submit_choice(self, request: ChooseRequest, *, owner: Hashable = None) -> int:
        """Queue a choice and return its job id.

        Args:
            request: what is to be chosen from.
            owner: whose character it is; the same character of two owners is two.

        Raises:
            RequestError: as of `submit`.
        """
        came = Submission(owner, (owner, request.npc.id), self._clock())
        job = ChoiceJob.of(
            self._last_id + 1, request, lambda text: self._prefill(self._prompt(request, text)), self._stage
        )
        return self._admit(OpenChoice(job, came), request.priority, request.deadline_ms, Policy(request.policy))

    def prompt(self, request: AskRequest | ChooseRequest) -> Prompt:
        """What the model gets for a request. Raises RequestError as `submit` does."""
        return self._prompt(request, request.text)

    def _prompt(self, request: AskRequest | ChooseRequest, text: str) -> Prompt:
        world = cast(World, request.world)
        return self._prompts.build(request.npc, text, request.history, world, request.summary)

    def _prefill(self, prompt: Prompt) -> Prefill:
        return Prefill(prompt.ids, prompt.stable_length, self.prefixes)
