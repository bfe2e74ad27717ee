"""From who says what, one after another, to samples."""

import re
from typing import Self

from tools.train.script.sample import Sample, Script

MAX_NAME_CHARS = 40
MAX_NAME_WORDS = 4
_SPOKEN = re.compile(rf"\s*([^:\[\]{{}}<>\"“”.!?,;]{{1,{MAX_NAME_CHARS}}}?)\s*[:\uff1a]\s*(\S.*)")


def split_speaker(text: str) -> tuple[str, str]:
    """`Mira: Forty gold.` as ("Mira", "Forty gold."); ("", text) where nobody is named."""
    found = _SPOKEN.fullmatch(text)
    if found is None or len(found[1].split()) > MAX_NAME_WORDS:
        return "", text.strip()
    return found[1], found[2].strip()


class Conversation:
    """What has been said up to some point of a script; forks where the script does.

    Args:
        script: gets a sample for each line of somebody who is not the player.
        players: names of the player, in lower case.
    """

    def __init__(self, script: Script, players: frozenset[str]) -> None:
        self._script = script
        self._players = players
        self._turns: list[tuple[str, str]] = []

    def fork(self) -> Self:
        """A conversation that goes on from here by itself."""
        other = type(self)(self._script, self._players)
        other._turns = list(self._turns)
        return other

    def write_to(self, script: Script) -> None:
        """Have what is said from now on added to another script."""
        self._script = script

    def return_to(self, earlier: "Conversation") -> None:
        """Go on from where `earlier` stands."""
        self._turns = list(earlier._turns)

    def break_off(self) -> None:
        """Forget what was said: what comes next does not follow from it."""
        self._turns = []

    def say(self, speaker: str, text: str, number: int) -> None:
        """Somebody says something; `number` is the line of the file."""
        if speaker.casefold() not in self._players:
            self._script.samples.append(Sample(speaker, text, self._context(speaker), number))
        self._turns.append((speaker, text))

    def player_says(self, text: str, number: int) -> None:
        """The player does."""
        self.say(next(iter(self._players)), text, number)

    def _context(self, speaker: str) -> tuple[str, ...]:
        """The words that `speaker` answers: the last that are not their own, and the turn before them."""
        turns = list(self._turns)
        while turns and turns[-1][0] == speaker:
            turns.pop()
        answered = tuple(text for _, text in turns[-1:])
        if len(turns) < 2 or turns[-2][0] != speaker:
            return answered
        before = next((text for who, text in reversed(turns[:-2]) if who != speaker), None)
        return answered if before is None else (before, turns[-2][1], *answered)
