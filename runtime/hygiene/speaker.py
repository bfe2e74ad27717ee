"""One speaker: the character's own label goes, and everything from where somebody else begins to speak."""

import functools
import re
from collections.abc import Iterable, Sequence

from runtime.hygiene.sentences import ends_sentence

# How chat templates and scripts label the two sides.
_OWN_ROLES = ("assistant", "ai", "bot", "npc", "model", "character")
_OWN_ROLES_ABROAD = ("ассистент", "персонаж", "助手", "アシスタント", "المساعد")
_OTHER_ROLES = ("player", "user", "human", "you", "system", "developer", "tool", "narrator", "instruction")
_OTHER_ROLES_ABROAD = (
    *("игрок", "пользователь", "система", "玩家", "用户", "系统", "旁白", "プレイヤー", "ユーザー", "システム"),
    *("اللاعب", "المستخدم", "النظام", "joueur", "spieler", "jugador"),
)
_SOMEBODY = r"[^\W\d_][\w'\u2019-]*(?: [^\W\d_][\w'\u2019-]*){0,2}"
_OPENING, _CLOSING = r"[*_<>#/\-\[(\s]{0,8}", r"[*_\])>]{0,4}"
_COLON = rf"{_CLOSING}\s{{0,4}}(?:\([^()]{{0,60}}\))?\s{{0,4}}[:\uff1a](?!//){_CLOSING}"
_CACHED_SPEAKERS = 256
_HEADING = re.compile(r"(?:^|\n)[^\S\n]*#{2,}[^\S\n]*\w")


def of_one_speaker(text: str, speaker: str, others: Sequence[str] = ()) -> str:
    """What the speaker says until somebody else does; labels such as `Mira:` in front of it are taken off.

    A known label counts at the start of the text, of a line and of a sentence, and alone on a line without a colon too.
    Any other word, or three, with a colon counts only at the start of a second line: `Here is my price: ten gold` is
    speech.

    Args:
        text: raw text, line breaks still in it.
        speaker: the character's name.
        others: further names that may stand as labels.
    """
    heading = _HEADING.search(text)
    text = text if heading is None else text[: heading.start()]
    spoken, start = "", 0
    for match in _label_of(speaker, tuple(others)).finditer(text):
        before = spoken + text[start : match.start()]
        if not _begins(before, match):
            continue
        if match["own"] is None:
            return before
        spoken, start = f"{before} " if before else "", match.end()
    return spoken + text[start:]


@functools.lru_cache(maxsize=_CACHED_SPEAKERS)
def _label_of(speaker: str, others: tuple[str, ...]) -> re.Pattern[str]:
    own = _any_of([*_names(speaker), *_OWN_ROLES, *_OWN_ROLES_ABROAD])
    strangers = [name for name in others if name.casefold() not in map(str.casefold, _names(speaker))]
    foreign = _any_of([*strangers, *_OTHER_ROLES, *_OTHER_ROLES_ABROAD])
    return re.compile(
        rf"(?P<opening>{_OPENING})(?:(?:(?P<own>{own})|(?P<foreign>{foreign}))(?:{_COLON}|{_CLOSING}[^\S\n]*(?P<alone>\n))"
        rf"|(?<=\n){_SOMEBODY}{_COLON}(?!\s*\d))\s*",
        re.IGNORECASE,
    )


def _begins(before: str, match: re.Match[str]) -> bool:
    """Whether somebody may begin to speak here: a label that stands alone needs a line of its own."""
    starts_line = not before.strip() or before.endswith("\n") or "\n" in match["opening"]
    return starts_line or (match["alone"] is None and ends_sentence(before))


def _names(speaker: str) -> list[str]:
    """The name, and its words: `Tom` and `Old` are labels of `Old Tom` too."""
    return [speaker.strip(), *(word for word in speaker.split() if len(word) > 1)]


def _any_of(labels: Iterable[str]) -> str:
    return "|".join(rf"{re.escape(label)}(?!\w)" for label in sorted(set(labels), key=len, reverse=True))
