"""Which layout of a canvas is the best: how long its gaps are, and where its phrases stand.

Nobody knows beforehand how long the words are that fit into a gap. So a few layouts have their first step, from the
same noise; the most promising ones, and those beside them, have their second; and one is written to its end. A layout
is judged by how certain the model is in the gaps, and by how much it would have put the pins where they are: a gap of
the wrong length has words said twice, or left out, and a model sees that (docs/pins.md has the figures).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from runtime.denoise import Canvas, Floats, Mask, StepInputs, StepOutput, StepResult
from runtime.pins import Layout

PROBES = 8
"""Layouts that have a first step, at most."""

REFINED = 4
"""Layouts that have a second one, at most."""

CERTAIN = 0.02
"""A layout that is judged no worse than this after its first step is taken at once."""

_NEAR = 2
"""Pins on either side of a gap that tell whether its length is right."""


def probes_of(steps: int) -> int:
    """Layouts that are tried for a canvas of so many steps."""
    return min(PROBES, steps + 1)


def refined_of(steps: int) -> int:
    """Layouts of them that have a second step."""
    return min(REFINED, steps // 2)


def most_passes(steps: int) -> int:
    """Passes for a canvas of so many steps with all the layouts that are tried for it."""
    refined = refined_of(steps)
    return probes_of(steps) + 2 * refined + max(0, steps - 2) if refined else probes_of(steps) + steps - 1


def steps_in(passes: int) -> int:
    """Most steps of a canvas with layouts to try, for so many passes; at least 1."""
    steps = 1
    while most_passes(steps + 1) <= passes:
        steps += 1
    return steps


@dataclass(slots=True, eq=False)
class Attempt:
    """A canvas with one of the layouts.

    Attributes:
        arrangement: which of the forms it follows.
        misfit: how bad the layout looks after the last step; lower is better.
        gap_misfits: the same for each gap.
        last: its last step.
        before_last: the one before.
    """

    arrangement: int
    layout: Layout
    canvas: Canvas
    misfit: float = float("inf")
    gap_misfits: tuple[float, ...] = ()
    last: StepResult | None = None
    before_last: StepResult | None = None

    def advance(self, output: StepOutput, flaws_of: Callable[[Layout, StepResult], int]) -> StepResult:
        """Take the answer to the canvas's inputs, and judge the layout anew."""
        result = self.canvas.advance(output)
        self.before_last, self.last = self.last, result
        doubts = self._doubts(output)
        self.gap_misfits = tuple(map(float, self._of_gaps(doubts)))
        pinned, written = self.canvas.clamp.pinned, self._written(result)
        gaps = float(doubts[written].mean()) if written.any() else 0.0
        pins = float(doubts[pinned].mean()) if pinned.any() else 0.0
        self.misfit = gaps + 2.0 * pins + flaws_of(self.layout, result)
        return result

    def _doubts(self, output: StepOutput) -> Floats:
        """Of each position, float32 [length]: nats, and 1 where the model would have another token or the end."""
        clamp = self.canvas.clamp
        argmax, entropy = output.argmax[0], output.entropy[0]
        ends = np.isin(argmax, list(self.canvas.settings.eos_token_ids))
        ends[clamp.body :] = False
        doubts: Floats = entropy + np.where(clamp.pinned, argmax != clamp.ids, ends).astype(np.float32)
        return doubts

    def _written(self, result: StepResult) -> Mask:
        """Positions that are the model's, up to the end of the line."""
        written = ~self.canvas.clamp.pinned
        ends = np.isin(result.argmax, list(self.canvas.settings.eos_token_ids))
        ends[: self.canvas.clamp.body] = False
        if ends.any():
            written[int(np.argmax(ends)) + 1 :] = False
        return written

    def _of_gaps(self, doubts: Floats) -> list[float]:
        """Of each gap with words behind it: its doubts, and those of the pins beside it."""
        misfits = []
        for start, end in self.layout.gaps:
            beside = np.concatenate([doubts[max(0, start - _NEAR) : start], doubts[end : end + _NEAR]])
            misfits.append((doubts[start:end].mean() if end > start else 0.0) + beside.sum() / _NEAR)
        return misfits


@dataclass(slots=True, eq=False)
class LayoutSearch:
    """The canvases of one place in a line, of which one is written to its end.

    Used as a `Canvas` is: `inputs()` and `advance()` in turn, until it is `finished`.

    Args:
        choices: for each form that the line may follow, the lengths that are tried for each of its gaps.
        begin: makes the canvas of a form with gaps of these lengths.
        flaws_of: what can be seen to be wrong with the line as it would be after a step.
        steps: of a canvas.
    """

    choices: Sequence[Sequence[Sequence[int]]]
    begin: Callable[[int, tuple[int, ...]], tuple[Layout, Canvas]]
    flaws_of: Callable[[Layout, StepResult], int]
    steps: int
    best: Attempt = field(init=False)
    _attempts: dict[tuple[int, tuple[int, ...]], Attempt] = field(default_factory=dict)
    _queue: list[Attempt] = field(default_factory=list)
    _refined: list[Attempt] = field(default_factory=list)
    _searching: bool = True

    def __post_init__(self) -> None:
        self._queue = [self._attempt(arrangement, lengths) for arrangement, lengths in self._probes()]
        self._searching = len(self._queue) > 1
        self.best = self._queue[0]

    @property
    def finished(self) -> bool:
        """The best canvas is written."""
        return not self._searching and self.best.canvas.finished

    @property
    def passes_left(self) -> int:
        """Most passes until it is finished."""
        if not self._searching:
            return self.best.canvas.steps_left
        to_come = len(self._queue) + max(0, self.steps - 2)
        return to_come if self._refined else to_come + 2 * refined_of(self.steps)

    def inputs(self) -> StepInputs:
        """What the next step reads, with a batch of one."""
        return self._next().canvas.inputs()

    def advance(self, output: StepOutput) -> StepResult:
        """Take the answer to `inputs()`, and settle what the next step is for."""
        attempt = self._next()
        result = attempt.advance(output, self.flaws_of)
        if not self._searching:
            return result
        self._queue.pop(0)
        if self._refined:
            if attempt.canvas.steps_done < 2 and not attempt.canvas.finished:
                self._queue.insert(0, attempt)
                return result
            ready = [refined for refined in self._refined if refined not in self._queue]
            self.best = min(ready, key=lambda attempt: attempt.misfit)
        elif attempt.misfit < self.best.misfit:
            self.best = attempt
        if not self._queue:
            self._go_on()
        return result

    def _go_on(self) -> None:
        if not self._refined and self.best.misfit > CERTAIN and self.steps > 1:
            self._refined = self._promising()
            self._queue = [attempt for attempt in self._refined if not attempt.canvas.finished]
        elif self._refined:
            self._queue = []
        self._searching = bool(self._queue)

    def _next(self) -> Attempt:
        return self._queue[0] if self._searching else self.best

    def _attempt(self, arrangement: int, lengths: tuple[int, ...]) -> Attempt:
        key = arrangement, lengths
        if key not in self._attempts:
            self._attempts[key] = Attempt(arrangement, *self.begin(arrangement, lengths))
        return self._attempts[key]

    def _probes(self) -> list[tuple[int, tuple[int, ...]]]:
        """Layouts to begin with: of each form some, in which each gap has each of its lengths in turn.

        Where there are more forms than layouts that may be tried, forms are left out evenly.
        """
        forms, most = len(self.choices), probes_of(self.steps)
        tried_forms = range(forms) if forms <= most else [number * forms // most for number in range(most)]
        count = most // len(tried_forms)
        probes: dict[tuple[int, tuple[int, ...]], None] = {}
        for arrangement in tried_forms:
            gaps = self.choices[arrangement]
            for number in range(count):
                # Every gap begins elsewhere in its own list, so that no two go through theirs side by side.
                lengths = (
                    tried[_spread(number + at * count // len(gaps), count, len(tried))] for at, tried in enumerate(gaps)
                )
                probes[arrangement, tuple(lengths)] = None
        return list(probes)

    def _promising(self) -> list[Attempt]:
        """Layouts for a second step: of the best form, with the lengths that were best for each gap, and near them."""
        arrangement = self.best.arrangement
        alike = [attempt for attempt in self._attempts.values() if attempt.arrangement == arrangement]
        ranked = []
        for at, tried in enumerate(self.choices[arrangement]):
            misfit_of: dict[int, float] = {}
            for attempt in alike:
                length = attempt.layout.lengths[at]
                misfit_of[length] = min(misfit_of.get(length, float("inf")), attempt.gap_misfits[at])
            order = sorted(misfit_of, key=lambda length: (misfit_of[length], length))
            beside = [length for length in (order[0] + 1, order[0] - 1) if tried[0] <= length <= tried[-1]]
            ranked.append(list(dict.fromkeys([*order[:2], *beside])))
        first = tuple(lengths[0] for lengths in ranked)
        changed = [
            (*first[:at], lengths[rank], *first[at + 1 :])
            for rank in range(1, max(map(len, ranked), default=1))
            for at, lengths in enumerate(ranked)
            if rank < len(lengths)
        ]
        layouts = list(dict.fromkeys([first, self.best.layout.lengths, *changed]))
        return [self._attempt(arrangement, lengths) for lengths in layouts[: refined_of(self.steps)]]


def lengths_to_try(fewest: int, most: int) -> tuple[int, ...]:
    """Lengths for a gap, up to PROBES of them, both ends among them: close together where they are short."""
    if most - fewest < PROBES:
        return tuple(range(fewest, most + 1))
    ratio = ((most + 1) / (fewest + 1)) ** (1 / (PROBES - 1))
    grown = [round((fewest + 1) * ratio**number) - 1 for number in range(PROBES)]
    return tuple(max(length, fewest + number) for number, length in enumerate(grown))


def _spread(number: int, count: int, length: int) -> int:
    """Index of the `number`-th of `count` picks out of `length`, evenly, the first one on."""
    return (number % count) * length // count if count < length else number % length
