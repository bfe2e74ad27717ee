"""From the tokens of a line to what is said: read, cleaned, put between the pins, judged, and in the end escaped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

from runtime.errors import PalaverError
from runtime.filters import StudioFilters
from runtime.gate import MAX_MEAN_ENTROPY, passing_draft, repeats_itself
from runtime.hygiene.escapes import escape
from runtime.hygiene.length import shortened
from runtime.hygiene.player_text import plain_words
from runtime.hygiene.sentences import sentence_ends, whole_sentences
from runtime.hygiene.words import words_of
from runtime.request import AskRequest
from runtime.template import Gap, Pin, Template, written_beforehand
from runtime.text import LineReader, TextRules, clean
from runtime.verdict import LineContext, Reason, judge, judge_directions, judge_draft, refusal
from runtime.world import World

_MARKS = ",;:.!?\u3001\u3002\uff0c\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a line.

    Attributes:
        ids: of the line so far.
        parts: for each the index of the part of the template that it belongs to; 0 without a template.
        template: None for a line that is all the model's.
    """

    ids: Sequence[int]
    parts: Sequence[int]
    template: Template | None


@dataclass(frozen=True, slots=True)
class Said:
    """What comes of tokens.

    Attributes:
        text: not escaped; empty if nothing may be said.
        gaps: the texts in the template's gaps; the whole text without a template.
        template: as of `Tokens`.
        directions: stage directions that were in it.
        reason: why nothing may be said.
    """

    text: str = ""
    gaps: tuple[str, ...] = ()
    template: Template | None = None
    directions: tuple[str, ...] = ()
    reason: Reason = ""


class Wording:
    """Words the lines of one request.

    Args:
        request: what was asked.
        reader: reads the model's tokens.
        special_tokens: the model's control tokens, as they are spelled.
        filters: the studio's.
    """

    def __init__(
        self, request: AskRequest, reader: LineReader, special_tokens: tuple[str, ...], filters: StudioFilters
    ) -> None:
        self._request = request
        self._reader = reader
        self._rules = TextRules.of(request.npc, special_tokens)
        self._context = _context(request, filters)

    def line(self, tokens: Tokens, *, ended: bool) -> Said:
        """The whole line; up to its last whole sentence, if it has one, where not the model has ended it."""
        said = self._composed(tokens)
        if not ended and (whole := whole_sentences(said.text)):
            said = self._up_to(said, len(whole))
        return self._judged(said)

    def cut_short(self, tokens: Tokens, mean_entropy: float) -> Said:
        """As much of a line that has to end here as is good enough; `mean_entropy` in nats, of the model's tokens."""
        said = self._composed(tokens)
        if said.template is None:
            text = passing_draft(said.text, mean_entropy)
            return self._judged(replace(said, text=text, gaps=(text,))) if text else Said()
        ended = self._ended(said, said.template)
        return Said() if ended is None or mean_entropy > MAX_MEAN_ENTROPY else self._judged(ended)

    def draft(self, tokens: Tokens) -> Said:
        """The line as it may be shown while it is in the making, gaps without words as they would be left."""
        said = self._composed(tokens)
        if said.template is not None:
            gaps = tuple(
                text if text.strip() or gap.fewest == 0 else filler
                for gap, filler, text in zip(said.template.gaps, said.template.fillers(), said.gaps, strict=True)
            )
            said = replace(said, text=said.template.fill(gaps), gaps=gaps)
        try:
            return self._told(said, judge_draft(said.text, self._context)) or Said()
        except PalaverError:
            # Of a filter that fails the line tells, which meets it too.
            return Said()

    def written(self, said: Said) -> str:
        """The text as it is handed out: escaped, but for the words that the writer has settled."""
        kind = self._request.escape
        if said.template is None:
            return escape(said.text, kind)
        return said.template.fill(said.gaps, lambda text: escape(text, kind))

    def flaws(self, tokens: Tokens) -> int:
        """What anybody would see: gaps of a template that have no words but need some, and words that come twice."""
        if tokens.template is None:
            return 0
        parts = enumerate(tokens.template.parts)
        needed = [index for index, part in parts if isinstance(part, Gap) and part.fewest > 0]
        empty = sum(not any(map(str.isalnum, self._reader.read(_of_part(tokens, index)))) for index in needed)
        text = self._reader.read(tokens.ids)
        twice = any(first == second for first, second in pairwise(words_of(text)))
        return empty + (twice or repeats_itself(text))

    def beforehand(self, authored: str) -> str:
        """What is said if the model has nothing; `authored` is a fallback line."""
        return written_beforehand(self._request.template, self._request.must_include, authored)

    def _composed(self, tokens: Tokens) -> Said:
        template = tokens.template
        if template is None:
            cleaned = clean(self._reader.read(tokens.ids), self._rules)
            return Said(cleaned.text, (cleaned.text,), None, cleaned.directions)
        gaps: list[str] = []
        directions: list[str] = []
        rules = replace(self._rules, max_sentences=None, max_chars=None)
        for index, part in enumerate(template.parts):
            if isinstance(part, Gap):
                raw = self._raw(tokens, index)
                cleaned = clean(raw, rules)
                gaps.append(" " * raw[:1].isspace() + _without_doubled_marks(cleaned.text, template, index))
                directions += cleaned.directions
        return self._limited(Said(template.fill(gaps), tuple(gaps), template, tuple(directions)), template)

    def _raw(self, tokens: Tokens, index: int) -> str:
        """What the tokens of a gap spell, with the white space that parts it from the words before it."""
        ids, before = _of_part(tokens, index), _of_part(tokens, index - 1)
        spelled, with_before = self._reader.read(before), self._reader.read([*before, *ids])
        return with_before[len(spelled) :] if with_before.startswith(spelled) else self._reader.read(ids)

    def _limited(self, said: Said, template: Template) -> Said:
        """No longer than the persona allows, as far as that lies in the last gap: it keeps one sentence at least."""
        rules, last = self._rules, template.parts[-1]
        if not isinstance(last, Gap) or not said.gaps[-1].strip():
            return said
        start = len(said.text) - len(said.gaps[-1].strip())
        limited = shortened(said.text, rules.max_sentences, rules.max_chars)
        if len(limited) <= start:
            ends = sentence_ends(said.text[start:])
            limited = said.text[: start + ends[0]] if ends else said.text
        return _with_last_gap(said, template, limited[start:])

    def _up_to(self, said: Said, length: int) -> Said:
        """The first characters of the text, as far as what stands behind them is the last gap's."""
        if said.template is None:
            return replace(said, text=said.text[:length], gaps=(said.text[:length],))
        start = len(said.text) - len(said.gaps[-1].strip())
        if not isinstance(said.template.parts[-1], Gap) or length <= start:
            return said
        return _with_last_gap(said, said.template, said.text[start:length])

    def _ended(self, said: Said, template: Template) -> Said | None:
        """The line if it can stand as it is, up to its last whole sentence where the model has not ended it."""
        if not _has_words(said, template) or repeats_itself(said.text):
            return None
        last = template.parts[-1]
        if not isinstance(last, Gap) or not said.gaps[-1].strip():
            return said
        start = len(said.text) - len(said.gaps[-1].strip())
        whole = whole_sentences(said.text)
        return _with_last_gap(said, template, whole[start:]) if len(whole) > start or last.fewest == 0 else None

    def _judged(self, said: Said) -> Said:
        if said.template is not None and not _has_words(said, said.template):
            return Said(reason="empty")
        verdict = judge(said.text, self._context)
        if verdict.reason:
            return Said(reason=verdict.reason)
        told = self._told(said, verdict.text)
        if told is None:
            return Said(reason="filtered")
        directions = judge_directions(said.directions, told.text, self._context)
        return replace(told, directions=tuple(filter(None, map(self._plain, directions))))

    def _told(self, said: Said, text: str) -> Said | None:
        """The same with the text that is left of it; None if that is nothing, may not be said, or lacks a pin."""
        if text == said.text:
            return said if text else None
        if said.template is None:
            plain = self._plain(text)
            gaps: tuple[str, ...] | None = (plain,)
        elif (gaps := said.template.texts_in(text)) is not None:
            gaps = tuple(" " * gap[:1].isspace() + self._plain(gap) for gap in gaps)
            plain = said.template.fill(gaps)
        if gaps is None or not plain or (plain != text and refusal(plain, self._context)):
            return None
        return replace(said, text=plain, gaps=gaps)

    def _plain(self, text: str) -> str:
        """One line without control tokens, whatever a filter has made of it."""
        return plain_words(text, self._rules.special_tokens)


def _context(request: AskRequest, filters: StudioFilters) -> LineContext:
    templates = () if request.template is None else (Template.parse(request.template),)
    settled = (*(pin.text for template in templates for pin in template.pins), *request.must_include)
    world = cast(World, request.world)
    told = (
        request.text,
        request.summary,
        *(said for turn in request.history for said in turn),
        *(fact for section in world.sections for fact in section.facts),
        *settled,
    )
    # Words that the writer has settled come again whenever the writer asks for them again.
    recent = () if settled else [answer for _, answer in request.history]
    context = LineContext.of(request.npc, told, recent, filters)
    spoken = [f" {' '.join(words_of(text))} " for text in settled]
    allowed = tuple(phrase for phrase in context.banned if not any(phrase in text for text in spoken))
    return replace(context, banned=allowed)


def _without_doubled_marks(text: str, template: Template, index: int) -> str:
    """The text of a gap without marks that have no word to follow, and those that the pin behind it has itself."""
    around = (template.parts[at] if 0 <= at < len(template.parts) else None for at in (index - 1, index + 1))
    before, behind = (part.text if isinstance(part, Pin) else "" for part in around)
    if before[-1:].isspace() or not before:
        text = text.lstrip(_MARKS + " ")
    return text.rstrip(_MARKS + " ") if behind[:1] and behind[0] in _MARKS else text


def _of_part(tokens: Tokens, index: int) -> list[int]:
    return [token_id for token_id, part in zip(tokens.ids, tokens.parts, strict=True) if part == index]


def _has_words(said: Said, template: Template) -> bool:
    """Every gap that needs words has some, and one has them if none does."""
    filled = [bool(text.strip()) for text in said.gaps]
    return any(filled) and all(
        has_words or gap.fewest == 0 for has_words, gap in zip(filled, template.gaps, strict=True)
    )


def _with_last_gap(said: Said, template: Template, text: str) -> Said:
    blank = " " * said.gaps[-1][:1].isspace()
    gaps = (*said.gaps[:-1], blank + text)
    return replace(said, text=template.fill(gaps), gaps=gaps)
