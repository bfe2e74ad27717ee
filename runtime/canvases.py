"""The canvases of a line: how long the next one is, and what stands on it from the start."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from runtime.denoise import Canvas, DenoiseSettings, Draws, StepResult
from runtime.layouts import LayoutSearch, lengths_to_try, most_passes, steps_in
from runtime.pins import Form, GapRun, Layout, PinRun, fitted, lay_out, next_canvas, usual_length
from runtime.plan import JobPlan

_BESIDE_GAP = 4
"""Tokens of a pin that stay on the canvas of the gap behind it."""


@dataclass(frozen=True, slots=True)
class CanvasPlan:
    """The next canvas.

    Attributes:
        head: pinned tokens to be encoded before it, for which it has no room.
        length: positions.
        forms: for each form that the line may follow, what the canvas takes of it and what is left.
        choices: for each of them, the lengths that are tried for each gap.
    """

    head: tuple[int, ...]
    length: int
    forms: tuple[tuple[Form, Form], ...]
    choices: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def of(cls, plan: JobPlan, forms: Sequence[Form], said: int) -> "CanvasPlan":
        """The canvas behind `said` tokens of a line of which these forms are left."""
        room = plan.max_tokens - said
        head = _head(forms, max(map(usual_length, forms)) - min(plan.longest_canvas, room))
        if head:
            forms, room = [_without_head(form, len(head)) for form in forms], room - len(head)
        short, longest = min(plan.canvas_length, room), min(plan.longest_canvas, room)
        length = short if all(usual_length(form) <= short for form in forms) else longest
        taken = tuple(next_canvas(form, length) for form in forms)
        choices = tuple(
            tuple(lengths_to_try(gap.fewest, gap.most) for gap in _gaps(here, rest, length, room))
            for here, rest in taken
        )
        return cls(head, length, taken, choices)

    @property
    def has_choice(self) -> bool:
        """There is more than one layout to try."""
        return len(self.choices) > 1 or any(len(tried) > 1 for gaps in self.choices for tried in gaps)

    def passes(self, steps: int) -> int:
        """Most passes of a canvas of so many steps."""
        return most_passes(steps) if self.has_choice else steps

    def steps(self, passes: int) -> int:
        """Most steps for so many passes."""
        return steps_in(passes) if self.has_choice else passes

    def begin(
        self, settings: DenoiseSettings, draws: Draws, end_id: int, flaws_of: Callable[[Layout, StepResult], int]
    ) -> LayoutSearch:
        """The canvas, and those that are tried for it."""

        def canvas(form: int, lengths: tuple[int, ...]) -> tuple[Layout, Canvas]:
            layout = lay_out(*self.forms[form], lengths, self.length, end_id)
            return layout, Canvas(settings, draws, layout.clamp)

        return LayoutSearch(self.choices, canvas, flaws_of, settings.steps)


def _head(forms: Sequence[Form], excess: int) -> tuple[int, ...]:
    """The tokens that all forms begin with, as many as are too much for one canvas."""
    first = {form.runs[0].ids if form.runs and isinstance(form.runs[0], PinRun) else () for form in forms}
    if excess <= 0 or len(first) > 1:
        return ()
    ids = first.pop()
    return ids[: max(0, min(excess, len(ids) - _BESIDE_GAP))]


def _without_head(form: Form, length: int) -> Form:
    pin = form.runs[0]
    assert isinstance(pin, PinRun)
    return replace(form, runs=(replace(pin, ids=pin.ids[length:]), *form.runs[1:]))


def _gaps(here: Form, rest: Form, length: int, room: int) -> tuple[GapRun, ...]:
    left = room - (rest.fewest_tokens if rest.runs else 0)
    return fitted(here.runs, min(length, left) - here.open_end)
