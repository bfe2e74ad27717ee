"""Stage directions: what a model writes about the character instead of for it."""

import re

from runtime.hygiene.sentences import ends_sentence
from runtime.hygiene.words import is_unspaced

_CALL = re.compile(r"\s*\[\s*[a-z_][a-z0-9_]*\s*\([^\[\]]*\)\s*\]")
_BOLD = re.compile(r"\*\*+|(?<!\w)__+|__+(?!\w)")
# Nobody speaks square brackets, nor, in Chinese and Japanese, brackets at all.
_SQUARE = "[\\[\u3010\u3014]([^\\[\\]\u3010\u3011\u3014\u3015]{1,200})[\\]\u3011\u3015]"
_ANYWHERE = f"{_SQUARE}|\uff08([^\uff08\uff09]{{1,200}})\uff09"
_STARRED = r"\*([^*]{1,200})\*|(?<!\w)_([^_]{1,200})_(?!\w)"
_ROUND = r"\(([^()]{1,200})\)"
_MARKED = re.compile(f"(?P<anywhere>{_ANYWHERE})|(?P<starred>{_STARRED})|(?P<round>{_ROUND})")
_MARKS = tuple(".,;:!?\u2026\u3002\uff0c\uff01\uff1f\u3001")
_CLAUSE_ENDS = frozenset(",;:\u2013\u2014\uff0c\u3001\uff1b\uff1a")
_FULL_WIDTH = frozenset("\u3002\uff0c\uff01\uff1f\u3001\uff1a\uff1b\uff61\u300d\u300f")
_ACTS = """
bows chuckles clears coughs crosses eyes folds frowns gestures giggles glances glares grimaces grins growls grumbles
grunts groans laughs leans leers looks mutters nods pauses points raises rolls rubs scoffs scowls scratches shakes
shrugs sighs sits smiles smirks snorts sneers spits squints stands stares steps strokes taps tilts turns waves
whispers winces winks wipes yawns
"""
_IS_ACT = re.compile(rf"(?:{'|'.join(_ACTS.split())})\b", re.IGNORECASE)


def without_calls(text: str) -> str:
    """The text without calls of actions such as `[give(iron kettle)]`."""
    return _CALL.sub("", text)


def apart_from_directions(text: str) -> tuple[str, tuple[str, ...]]:
    """The spoken text, and the stage directions in it, in their order.

    A direction stands in square brackets or in brackets of Chinese and Japanese type; or in round brackets, asterisks
    or underscores where a sentence could begin. Inside a sentence, asterisks
    mark a direction if its first word is an act
    ("nods"), else a stress, which is spoken. Marks of bold type go, and so do single asterisks.
    """
    text = _BOLD.sub("", text)
    directions: list[str] = []
    spoken, start = "", 0
    for match in _MARKED.finditer(text):
        spoken += text[start : match.start()]
        start = match.end()
        inside = next(group for group in match.groups()[1:] if group is not None and group != match.group()).strip()
        if _is_direction(match, inside, spoken):
            directions += [inside] if inside else []
            spoken, start = _closed_up(spoken, text, start)
        else:
            spoken += inside if match["starred"] else match.group()
    return (spoken + text[start:]).replace("*", ""), tuple(directions)


def _is_direction(match: re.Match[str], inside: str, spoken: str) -> bool:
    if match["anywhere"] or not spoken.strip() or ends_sentence(spoken):
        return True
    return match["starred"] is not None and _IS_ACT.match(inside) is not None


def _closed_up(spoken: str, text: str, start: int) -> tuple[str, int]:
    """What was spoken before a direction, and where the text goes on behind it: no mark or space is left over."""
    before = spoken.rstrip()
    if not before or before[-1] in _CLAUSE_ENDS or ends_sentence(before):
        start = _behind(text, start)
        start += text.startswith(_MARKS, start)
    start = _behind(text, start)
    after = text[start : start + 1]
    joined = not before or not after or after in _MARKS or is_unspaced(after) or before[-1] in _FULL_WIDTH
    return (before if joined else f"{before} "), start


def _behind(text: str, start: int) -> int:
    """Index of the first character from `start` that is no white space."""
    return len(text) - len(text[start:].lstrip())
