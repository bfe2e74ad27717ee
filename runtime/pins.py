"""A template in tokens: which positions of a canvas are clamped, and how long its gaps are.

Pins are spelled as they would be in running text. Their text is never read back from tokens, so a tokenizer that spells
them in an odd way costs the model some sense, and the line nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from tokenizers import Tokenizer

from runtime.denoise import Clamp, Ints
from runtime.template import Gap, Pin, Template

LONGEST_GAP = 16
"""Tokens tried for a gap of any length that has words behind it."""

USUAL_GAP = 6
"""Tokens for which a canvas should have room in such a gap."""

USUAL_END = 6
"""The same for what the model says behind the last pin."""

FREE = -1
_STAND_INS = ("it", ",", "7", "\u2014")
"""For a gap while the words around it are spelled: the first one that no token joins to them."""


@dataclass(frozen=True, slots=True)
class PinRun:
    """Tokens of a pin; `part` is its index in the template."""

    part: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GapRun:
    """A gap of `fewest` to `most` tokens; `part` is its index in the template."""

    part: int
    fewest: int
    most: int

    @property
    def usual(self) -> int:
        """Tokens for which a canvas should have room."""
        return max(self.fewest, min(self.most, USUAL_GAP))


Run = PinRun | GapRun


@dataclass(frozen=True, slots=True)
class Form:
    """What is left to be written of a line.

    Attributes:
        template: of the whole line; None for a line that is all the model's.
        runs: pins and gaps, without the last gap if that is free.
        open_end: the model ends the line itself, behind the runs.
    """

    template: Template | None = None
    runs: tuple[Run, ...] = ()
    open_end: bool = True

    @property
    def fewest_tokens(self) -> int:
        """Tokens that the line has at least, one for an open end."""
        return _fewest(self.runs) + self.open_end

    @property
    def fewest_behind(self) -> int:
        """Tokens that the model may not spare behind the runs."""
        last = None if self.template is None else self.template.parts[-1]
        return last.fewest if self.open_end and isinstance(last, Gap) else 0


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of one canvas.

    Attributes:
        clamp: which positions are pinned.
        part: int64 [length], index of the template's part that a position belongs to.
        gaps: where each gap with words behind it begins and ends.
        rest: what is left for the canvases behind.
    """

    clamp: Clamp
    part: Ints
    gaps: tuple[tuple[int, int], ...]
    rest: Form

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens of each of these gaps."""
        return tuple(end - start for start, end in self.gaps)


def spell(template: Template, tokenizer: Tokenizer, unspoken: frozenset[int]) -> Form:
    """The form of a template; `unspoken` are ids that no line has, such as control tokens."""
    pins = _pin_ids(template, tokenizer)
    runs: list[Run] = []
    for index, part in enumerate(template.parts):
        if isinstance(part, Pin):
            runs.append(PinRun(index, tuple(token_id for token_id in pins.pop(0) if token_id not in unspoken)))
        else:
            runs.append(GapRun(index, part.fewest, LONGEST_GAP if part.most is None else part.most))
    last = template.parts[-1]
    open_end = isinstance(last, Gap) and last.most is None
    return Form(template, tuple(runs[:-1] if open_end else runs), open_end)


def usual_length(form: Form) -> int:
    """Positions of a canvas that has room for all of a form."""
    if not form.runs:
        return form.fewest_tokens
    sizes = (len(run.ids) if isinstance(run, PinRun) else run.usual for run in form.runs)
    # Behind the last word stands an end token.
    return sum(sizes) + (USUAL_END if form.open_end else 1)


def next_canvas(form: Form, room: int) -> tuple[Form, Form]:
    """What of a form a canvas of `room` positions takes, at most, and what is left for those behind."""
    here: list[Run] = []
    left = list(form.runs)
    while left and room > 0:
        run = left[0]
        if isinstance(run, PinRun):
            here.append(replace(run, ids=run.ids[:room]))
            left[0] = replace(run, ids=run.ids[room:])
            room -= len(run.ids)
            if room >= 0:
                del left[0]
        elif run.usual <= room:
            here.append(left.pop(0))
            room -= run.usual
        elif not here:
            here.append(replace(run, fewest=min(run.fewest, room), most=min(run.most, room)))
            left[0] = replace(run, fewest=run.fewest - room, most=run.most - room)
            if run.fewest <= room:
                del left[0]
            room = 0
        else:
            break
    ends_here = not left
    return replace(form, runs=tuple(here), open_end=form.open_end and ends_here), replace(form, runs=tuple(left))


def fitted(runs: Sequence[Run], room: int) -> tuple[GapRun, ...]:
    """The gaps of these runs, none longer than `room` positions allow if the others are as short as may be."""
    spare = room - _fewest(runs)
    return tuple(
        replace(run, most=max(run.fewest, min(run.most, run.fewest + spare))) for run in runs if isinstance(run, GapRun)
    )


def lay_out(here: Form, rest: Form, lengths: Sequence[int], length: int, end_id: int) -> Layout:
    """A canvas of `length` positions, on which the gaps of `here` have these lengths, or less where it is too short."""
    ids: list[int] = []
    parts: list[int] = []
    gaps: list[tuple[int, int]] = []
    sizes = _shrunk(here, lengths, length)
    for run in here.runs:
        tokens = list(run.ids) if isinstance(run, PinRun) else [FREE] * sizes.pop(0)
        if isinstance(run, GapRun):
            gaps.append((len(ids), len(ids) + len(tokens)))
        ids += tokens
        parts += [run.part] * len(tokens)
    free, last = length - len(ids), 0 if here.template is None else len(here.template.parts) - 1
    # Behind the last words of a form that ends with them the line is over, and the model had better know.
    behind = FREE if here.open_end else end_id
    more = here.fewest_behind if here.open_end else 0
    clamp = Clamp(np.array(ids + [behind] * free, dtype=np.int64), min(length, len(ids) + more))
    return Layout(clamp, np.array(parts + [last] * free, dtype=np.int64), tuple(gaps), rest)


def _shrunk(here: Form, lengths: Sequence[int], length: int) -> list[int]:
    """The lengths, the longest made shorter until all has room."""
    sizes, fewest = list(lengths), [run.fewest for run in here.runs if isinstance(run, GapRun)]
    room = length - here.open_end - _fewest(here.runs) + sum(fewest)
    while sum(sizes) > room and sizes != fewest:
        at = max(range(len(sizes)), key=lambda index: sizes[index] - fewest[index])
        sizes[at] -= 1
    return sizes


def _fewest(runs: Sequence[Run]) -> int:
    return sum(len(run.ids) if isinstance(run, PinRun) else run.fewest for run in runs)


def _pin_ids(template: Template, tokenizer: Tokenizer) -> list[tuple[int, ...]]:
    """Token ids of each pin, as they are between the stand-ins of the gaps."""
    spellings = [_spelled_with(template, tokenizer, stand_in) for stand_in in _STAND_INS]
    ids = []
    for pin, *tries in zip(template.pins, *spellings, strict=True):
        clean = [found for found in tries if found is not None]
        ids.append(clean[0] if clean else tuple(tokenizer.encode(pin.text.strip(), add_special_tokens=False).ids))
    return ids


def _spelled_with(template: Template, tokenizer: Tokenizer, stand_in: str) -> list[tuple[int, ...] | None]:
    """Ids of each pin; None for one that shares a token with a stand-in."""
    text, spans = "", []
    for part in template.parts:
        start = len(text) + (1 if isinstance(part, Pin) and part.loose and text else 0)
        text = text.ljust(start) + (part.text if isinstance(part, Pin) else stand_in)
        if isinstance(part, Pin):
            spans.append((start, len(text)))
            text += " " if part.loose else ""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    tokens = [
        (token_id, start + len(text[start:end]) - len(text[start:end].lstrip()), end)
        for token_id, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
    ]
    found: list[tuple[int, ...] | None] = []
    for first, last in spans:
        words = text[first:last]
        inner = first + len(words) - len(words.lstrip()), first + len(words.rstrip())
        touching = [(token_id, start, end) for token_id, start, end in tokens if start < inner[1] and end > inner[0]]
        whole = all(inner[0] <= start and len(text[:end].rstrip()) <= inner[1] for _, start, end in touching)
        found.append(tuple(token_id for token_id, _, _ in touching) if whole else None)
    return found
