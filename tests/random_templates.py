"""Templates by the thousand, each with the pattern that its line has to match, written without the parser."""

import random
import re
from dataclasses import dataclass

_PINS = (
    *(
        "Bring me ",
        " by ",
        ", or ",
        ".",
        "!",
        " gold",
        "For ",
        " \u2014 ",
        "\u201c",
        "\u201d",
        "(",
        ")",
        "... ",
        " '",
        "pre",
        "fix",
    ),
    *("  two spaces  ", "\ttab ", "{", "}", "{*}", "[b]", "[/b]", "<i>", "$x", "#tag", "100% ", "Mira: ", "\n"),
    *(
        "\u53bb\u5427\uff0c",
        "\u3002",
        "\u6765\u308b\u3088",
        "\u041d\u0443, ",
        "\u062d\u0633\u0646\u0627\u060c ",
        "\U0001f469\u200d\U0001f33e ",
        "e\u0301t\u00e9 ",
        "<turn|>",
        "<|npc>",
    ),
    *(
        "If the moon is up and the hounds are quiet, come to the mill behind the old church and ask for ",
        " and nobody else, ",
    ),
)
_SIZES = ("", "1", "3", "1-4", "2-6", "5-9")
_DEFAULTS = ("", "=dusk", "=the old man", "=\u665a\u4e0a", "= x ")


@dataclass(frozen=True, slots=True)
class RandomTemplate:
    """A template, and what a line that follows it matches from end to end, letter for letter."""

    text: str
    pattern: re.Pattern[str]
    has_free_gap: bool


def random_template(seed: int) -> RandomTemplate:
    """One to five gaps between one to six runs of odd pins."""
    draw = random.Random(seed)
    text, pattern, free = "", "", False
    gaps = draw.randint(1, 5)
    for number in range(gaps):
        pinned = "".join(draw.choices(_PINS, k=draw.randint(1, 3)))
        if number > 0 and not pinned.strip():
            pinned += "and "
        if number > 0 or draw.random() < 0.7:
            text += pinned.replace("{", "{{").replace("}", "}}")
            pattern += re.escape(pinned)
        size = draw.choice(_SIZES)
        free |= not size
        text += f"{{*{size}{draw.choice(_DEFAULTS)}}}"
        pattern += "(.*)"
    if draw.random() < 0.6:
        pinned = "".join(draw.choices(_PINS, k=draw.randint(1, 2)))
        text += pinned.replace("{", "{{").replace("}", "}}")
        pattern += re.escape(pinned)
    return RandomTemplate(text, re.compile(pattern, re.DOTALL), free)
