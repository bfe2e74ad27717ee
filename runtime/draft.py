"""The line so far, for a game that shows the text resolving."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A line as it stands after a denoising step.

    Attributes:
        job_id: whose line.
        text: all of it so far; any word may still change.
        stable_chars: characters at the start of `text` that have settled, whole words: the model was sure of them, and
            said the same the step before. They may still change; the final line is what counts.
        steps_done: denoising steps run so far.
        steps_planned: most denoising steps a canvas.
    """

    job_id: int
    text: str
    stable_chars: int
    steps_done: int
    steps_planned: int


def stable_chars(text: str, settled: str) -> int:
    """Length of the common start of a draft and the text of its settled tokens, in whole words."""
    both = min(len(text), len(settled))
    common = next((index for index in range(both) if text[index] != settled[index]), both)
    if all(common == len(said) or said[common].isspace() for said in (text, settled)):
        return common
    return len(text[: text.rfind(" ", 0, common) + 1].rstrip())
