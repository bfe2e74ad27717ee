"""What of a persona, the world, the history and the player's words gets into a prompt that has so much room.

In this order, each out of what those before it have left:

1. the player's words, of which the end is kept if they are too long;
2. the persona: who speaks, then as many secrets and actions as fit a third of the rest each, then knowledge. If not all
   of that fits, the first facts fill half of its room and are there whatever is asked; of the others the most relevant
   fill the other half;
3. the newest turn, for "and the other one?" means nothing without it;
4. the world, section by section, the most relevant facts of each;
5. the summary, then the turns before, newest first, up to the first that does not fit.

Facts keep their order. One that does not fit is passed over, for a smaller one may still fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.npc import Npc
from runtime.persona_text import action_heads, actions_line, head_line, secret_line, summary_line
from runtime.prompt_budget import PromptBudget, Room
from runtime.prompt_tokens import PromptTokens
from runtime.relevance import by_relevance
from runtime.world import World

Turn = tuple[str, str]

_SHOWN_CHARS = 120


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a prompt could have; see `PromptBuilder.build`. `text` and `history` are lines already."""

    npc: Npc
    text: str
    history: Sequence[Turn]
    world: World
    summary: str


@dataclass(frozen=True, slots=True)
class PromptParts:
    """What it has.

    Attributes:
        persona: lines that depend on the persona alone.
        facts: lines behind them.
        turns: earlier turns, oldest first.
        text: what the player says now.
        tokens: that all this takes, markers of the chat template aside.
        dropped: what is left out, the name of its part in front.
    """

    persona: tuple[str, ...]
    facts: tuple[str, ...]
    turns: tuple[Turn, ...]
    text: str
    tokens: int
    dropped: tuple[str, ...]


class PartsChooser:
    """Chooses the parts of one prompt; the same for the same arguments.

    Args:
        wanted: all there is.
        budget: most tokens of each part.
        room: most tokens of all together.
        tokens: of the model.
    """

    def __init__(self, wanted: Wanted, budget: PromptBudget, room: int, tokens: PromptTokens) -> None:
        self._wanted, self._budget, self._tokens = wanted, budget, tokens
        self._given = room
        self._room = Room(room)
        self._text = ""
        self._dropped: list[str] = []

    def choose(self) -> PromptParts:
        """The parts; asked for once."""
        self._text = self._last_words()
        persona, facts = self._persona(self._room.within(self._budget.persona_tokens))
        told = self._room.within(self._budget.history_tokens)
        history = self._wanted.history
        newest = self._turns(told, history[-1:])
        for section in self._wanted.world.sections:
            limit = self._budget.section_tokens if section.budget_tokens is None else section.budget_tokens
            facts += self._relevant(f"world.{section.name}", self._room.within(limit), self._lines(section.facts))
        facts += self._summary(told)
        older = self._turns(told if newest else Room(0), history[:-1])
        used = self._given - self._room.left
        return PromptParts(tuple(persona), tuple(facts), (*older, *newest), self._text, used, tuple(self._dropped))

    def _last_words(self) -> str:
        """What the player says, or the end of it, of which a letter is left at least."""
        text = self._wanted.text
        kept = self._tokens.end(text, min(self._budget.text_tokens, self._room.left)) or text[-1:]
        self._room.spend(self._tokens.count(kept))
        self._drop("text", text.removesuffix(kept))
        return kept

    def _persona(self, room: Room) -> tuple[list[str], list[str]]:
        """Lines that depend on the persona alone, and further facts of its knowledge."""
        npc = self._wanted.npc
        who = self._tokens.line(head_line(npc))
        head = self._tokens.start(who, room.left // 2)
        self._drop("persona", who.removeprefix(head))
        room.spend(self._tokens.count(head))
        third = room.left // 3
        secrets = self._secrets(room.within(third))
        actions = self._actions(room.within(third))
        known, more = self._knowledge(room)
        return [line for line in (head, *known, *secrets, *actions) if line], more

    def _knowledge(self, room: Room) -> tuple[list[str], list[str]]:
        facts = self._lines(self._wanted.npc.knowledge)
        if sum(map(self._tokens.count, facts)) <= room.left:
            return [fact for fact in facts if room.take(self._tokens.count(fact))], []
        first_room, count = room.within(room.left // 2), 0
        while first_room.take(self._tokens.count(facts[count])):
            count += 1
        return facts[:count], self._relevant("knowledge", room, facts[count:])

    def _actions(self, room: Room) -> list[str]:
        heads = action_heads(self._wanted.npc)
        for count in range(len(heads), 0, -1):
            line = self._tokens.line(actions_line(heads[:count]))
            if room.take(self._tokens.count(line)):
                return [line]
            self._drop("actions", heads[count - 1])
        return []

    def _secrets(self, room: Room) -> list[str]:
        kept = []
        for secret in self._lines(self._wanted.npc.secrets):
            line = secret_line(secret)
            if room.take(self._tokens.count(line)):
                kept.append(line)
            else:
                self._drop("secrets", secret)
        return kept

    def _relevant(self, name: str, room: Room, facts: Sequence[str]) -> list[str]:
        """The facts that fit, in their order; the more relevant ones if not all do."""
        order: Sequence[int] = range(len(facts))
        if sum(map(self._tokens.count, facts)) > room.left:
            order = by_relevance(facts, self._text, self._wanted.history[-1] if self._wanted.history else ())
        kept = {index for index in order if room.take(self._tokens.count(facts[index]))}
        for index, fact in enumerate(facts):
            if index not in kept:
                self._drop(name, fact)
        return [fact for index, fact in enumerate(facts) if index in kept]

    def _summary(self, room: Room) -> list[str]:
        summary = self._tokens.line(self._wanted.summary)
        if not summary:
            return []
        kept = self._tokens.start(summary, room.left - self._tokens.count(summary_line("")))
        self._drop("summary", summary.removeprefix(kept))
        return [summary_line(kept)] if kept and room.take(self._tokens.count(summary_line(kept))) else []

    def _turns(self, room: Room, turns: Sequence[Turn]) -> list[Turn]:
        """The newest of these turns that fit, oldest first."""
        count = 0
        while count < len(turns) and room.take(sum(map(self._tokens.count, turns[-1 - count]))):
            count += 1
        for player_text, npc_text in turns[: len(turns) - count]:
            self._drop("history", f"{player_text} / {npc_text}")
        return list(turns[len(turns) - count :])

    def _lines(self, facts: Sequence[str]) -> list[str]:
        return [line for line in map(self._tokens.line, facts) if line]

    def _drop(self, part: str, text: str) -> None:
        if text.strip():
            shown = text.strip() if len(text.strip()) <= _SHOWN_CHARS else f"{text.strip()[: _SHOWN_CHARS - 3]}..."
            self._dropped.append(f"{part}: {shown}")
