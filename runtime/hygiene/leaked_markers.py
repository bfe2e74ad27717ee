"""Control tokens that a model spells out: its own, and those of the chat templates it may have read."""

import re
from collections.abc import Iterable

from runtime.markers import remove_markers

# <|im_end|>, <|eot_id|>, <|turn>, <turn|>; <start_of_turn>; [INST], <<SYS>>; </s>; <extra_id_1>; full-width bars too.
_FOREIGN = re.compile(
    r"<[|\uff5c][^<>|\uff5c\n]{1,60}[|\uff5c]?>|<[^<>|\uff5c\s]{1,60}[|\uff5c]>"
    r"|</?(?:start|end)_of_(?:turn|text|image)>|</?(?:bos|eos|pad|unk|mask|s)>|<extra_id_\d{1,4}>|<unused\d{1,4}>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|</?think>",
    re.IGNORECASE,
)

_BRACKETS = re.compile("[<>\\[\\]|\uff5c]")
_MAX_ROUNDS = 8


def without_markers(text: str, special_tokens: Iterable[str]) -> str:
    """The text without control tokens, again and again until none is left: taking one out may spell the next.

    Where that goes on for too long, nobody speaks: what they could be spelled with goes altogether.

    Args:
        text: any text.
        special_tokens: the model's own, as they are spelled.
    """
    tokens = tuple(special_tokens)
    for _ in range(_MAX_ROUNDS):
        if (shorter := _FOREIGN.sub("", remove_markers(text, tokens))) == text:
            return text
        text = shorter
    return remove_markers(_BRACKETS.sub("", text), tokens)
