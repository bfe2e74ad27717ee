"""What a player or a game says, as data: words on one line, which begin no turn and end none."""

from collections.abc import Iterable

from runtime.hygiene.invisible import without_invisible
from runtime.hygiene.leaked_markers import without_markers
from runtime.hygiene.white_space import on_one_line


def plain_words(text: str, special_tokens: Iterable[str]) -> str:
    """The text as a chat template may have it; empty if nothing is left of it.

    Control tokens, also such that invisible characters break up, go; so do the invisible characters themselves. A line
    break becomes a space, so that no line of it looks like the next turn. Brackets, braces and whatever else template
    languages use are plain characters, for the template gets the text as a value.
    """
    tokens = tuple(special_tokens)
    while (cleaned := without_markers(without_invisible(on_one_line(text)), tokens)) != text:
        text = cleaned
    return text
