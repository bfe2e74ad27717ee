"""A real engine on a clock that only moves when something takes time, and a step graph whose passes take what is said.

Everything but the arithmetic of the model is real: prompts, jobs, scheduler, cost model, frame budget, gate, fallbacks.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from runtime.bundle import load_bundle
from runtime.choice import ChooseRequest
from runtime.denoise import StepOutput
from runtime.engine import Engine
from runtime.errors import RequestError
from runtime.exactness import Exactness
from runtime.frame_budget import FrameBudget
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.schedule import Scheduler
from runtime.session import Prefix

SPOKEN = "Aye, friend."


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s

    def advance(self, seconds):
        self.now_s += seconds


class ScriptedPass:
    """A pass whose slices take the next of the scripted seconds each, and half of it for each further row."""

    def __init__(self, session, result, rows):
        self.session = session
        self.result = result
        self.rows = rows
        self.slices_done = 0

    @property
    def finished(self):
        return self.slices_done == self.session.slices

    def run_slice(self):
        seconds = next(self.session.seconds) * (1 + self.rows) / 2
        self.session.slices_run.append(seconds)
        self.session.clock.advance(seconds)
        self.slices_done += 1


class ScriptedSession:
    """Answers every step alike: the same words, of an entropy that halves with each step of a canvas.

    Attributes:
        slices_run: seconds of each slice so far.
        rows_run: rows of each pass so far.
    """

    def __init__(self, bundle, clock, seconds, slices=1, first_entropy=1.0):
        self.geometry = bundle.manifest.geometry
        self.clock = clock
        self.seconds = iter(seconds)
        self.slices = slices
        self.first_entropy = first_entropy
        self.slices_run = []
        self.rows_run = []
        self.spoken = bundle.tokenizer.encode(SPOKEN, add_special_tokens=False).ids
        self.end = bundle.manifest.generation.eos_token_ids[0]

    def begin_encode(self, ids, prefix=None, pad_length=None):
        rows, length = ids.shape
        length += 0 if prefix is None else prefix.length
        array, no_padding = np.zeros((rows, 1, length, 1), dtype=np.float32), np.zeros(rows, np.int64)
        return self.begin(Prefix((array,), no_padding), rows)

    def begin_denoise(self, inputs, prefix):
        rows, length = inputs.canvas.shape
        ids = np.array([[*self.spoken, *[self.end] * length][:length]] * rows)
        # The first step has no self-conditioning; each answer carries its number there for the next.
        step = inputs.soft_embeddings[:, :1, :1]
        entropy = (self.first_entropy * 0.5 ** step[:, :, 0]).repeat(length, axis=1).astype(np.float32)
        following = np.broadcast_to(step + 1.0, inputs.soft_embeddings.shape).astype(np.float32)
        return self.begin(StepOutput(ids, ids, entropy, following), rows)

    def begin_score(self, inputs, prefix):
        """Everything is as probable, but what begins with the token that was said: that is sure."""
        likely = np.where(inputs.scored_ids[:, :1] == self.spoken[0], 0.0, -3.0).astype(np.float32)
        # Its rows are all one job's: nobody shares them.
        return ScriptedPass(self, np.broadcast_to(likely, inputs.canvas.shape), len(inputs.canvas))

    def begin(self, result, rows):
        self.rows_run.append(rows)
        return ScriptedPass(self, result, rows)


class RecordedScheduler(Scheduler):
    """Keeps every decision, with the time and the tickets that it was taken over."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.decisions = []
        self.companies = []
        self.most_open = 0

    def next(self, now_s, unit_cost_s):
        decision = super().next(now_s, unit_cost_s)
        self.decisions.append((now_s, decision, tuple(self)))
        self.most_open = max(self.most_open, len(self))
        return decision

    def companions(self, job_id, *arguments):
        company = super().companions(job_id, *arguments)
        self.companies.append((self[job_id], [self[other] for other in company]))
        return company


class RecordedBudget(FrameBudget):
    """Keeps what every frame gave, and its units as (start, expected, seconds)."""

    def __init__(self):
        super().__init__()
        self.frames = []

    def tick(self, now_s, frame, budget_s):
        super().tick(now_s, frame, budget_s)
        self.frames.append((now_s, budget_s, []))

    def spend(self, now_s, expected_s, seconds):
        super().spend(now_s, expected_s, seconds)
        if self.frames:
            self.frames[-1][2].append((now_s - seconds, expected_s, seconds))


class Game:
    """Drives an engine as the sidecar does: events first, then one step, then waiting for whichever comes first."""

    def __init__(self, bundle, seconds, *, slices=1, max_open=64, first_entropy=1.0, max_batch=1, exact=True):
        self.clock = Clock()
        self.session = ScriptedSession(bundle, self.clock, seconds, slices, first_entropy)
        self.engine = Engine(bundle, clock=self.clock, session=self.session, max_batch=max_batch)
        self.engine._planner.exactness = Exactness(rows=exact)
        self.engine._scheduler = self.engine._planner._scheduler = self.scheduler = RecordedScheduler(max_open)
        self.engine._budget = self.engine._compute.budget = self.budget = RecordedBudget()
        self.submitted = {}
        self.refused = []
        self.ended = {}

    def submit(self, request):
        try:
            submit = self.engine.submit_choice if isinstance(request, ChooseRequest) else self.engine.submit
            job_id = submit(request)
        except RequestError as error:
            self.refused.append(error.code)
            return
        self.submitted[job_id] = (self.clock.now_s, request)

    def play(self, arrivals, *, until_s=math.inf, tick_every_s=None, budgets_ms=(2.0,)):
        """Let requests arrive at their times, tick if asked to, and go on until everything has ended, or `until_s`.

        Args:
            arrivals: pairs of seconds and request.
            until_s: when to stop whatever is open.
            tick_every_s: length of a frame; None for no ticks.
            budgets_ms: of the frames, over and over.
        """
        events = sorted(((at_s, "ask", request) for at_s, request in arrivals), key=lambda event: event[0])
        budgets, frame = itertools.cycle(budgets_ms), 0
        while (events or not self.engine.idle) and self.clock.now_s < until_s:
            while events and events[0][0] <= self.clock.now_s:
                self.submit(events.pop(0)[2])
            if tick_every_s is not None and frame * tick_every_s <= self.clock.now_s:
                self.engine.tick(frame, next(budgets))
                frame += 1
            wait_s = self.engine.wait_s()
            if wait_s == 0.0:
                for outcome in self.engine.step():
                    assert outcome.job_id not in self.ended, "a job ended twice"
                    self.ended[outcome.job_id] = (self.clock.now_s, outcome)
                continue
            following_s = [self.clock.now_s + wait_s, *(event[0] for event in events[:1])]
            if tick_every_s is not None:
                following_s.append(frame * tick_every_s)
            assert min(following_s) < math.inf, "a job is open and nothing will ever happen"
            # Rounding may leave a hair to wait for.
            self.clock.now_s = max(min(following_s), self.clock.now_s + 1e-9)
        return self

    def lateness_s(self):
        """Seconds that each line with a deadline came behind it, negative for those in time."""
        return [late_s for late_s, _ in self._ends_s()]

    def late_moments_s(self):
        """When lines ended behind their deadlines: once for all those that one pass kept waiting."""
        return {ended_s for late_s, ended_s in self._ends_s() if late_s > 1e-9}

    def _ends_s(self):
        """Of each line with a deadline, how late it came, and when."""
        return [
            (self.ended[job_id][0] - submitted_s - request.deadline_ms / 1000.0, self.ended[job_id][0])
            for job_id, (submitted_s, request) in self.submitted.items()
            if request.deadline_ms is not None
        ]


@pytest.fixture(scope="session")
def bundle(tiny_bundle):
    loaded = load_bundle(tiny_bundle)
    generation = replace(loaded.manifest.generation, max_denoising_steps=48)
    return replace(loaded, manifest=replace(loaded.manifest, generation=generation))


@pytest.fixture(scope="session")
def game(bundle):
    """Makes games: `game(seconds of each slice, ...)`."""
    return lambda *arguments, **options: Game(bundle, *arguments, **options)


@pytest.fixture(scope="session")
def ask():
    """Makes requests: `ask(seed, npc, ...)`."""

    def make(seed=0, npc="mira", **options):
        persona = Npc(npc, "Mira", "blacksmith", fallbacks=("Later.", "Not now.", "Come back soon."))
        return AskRequest(persona, "Hello", seed, **({"sampler": "reference"} | options))

    return make
