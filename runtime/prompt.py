"""From a persona, the world, earlier turns and the player's words to the token ids of a prompt that fits the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from runtime.bundle import Bundle
from runtime.chat_template import ChatTemplate
from runtime.errors import RequestError
from runtime.npc import Npc
from runtime.persona_text import system_text
from runtime.prompt_budget import PromptBudget
from runtime.prompt_parts import PartsChooser, PromptParts, Turn, Wanted
from runtime.prompt_tokens import PromptTokens
from runtime.world import NO_WORLD, World

__all__ = ["Prompt", "PromptBuilder", "Turn", "system_text"]

FEWEST_BEHIND_STABLE = 2
"""Tokens that never count as stable: something has to be encoded behind them, and a single position is odd."""

_KEPT_STARTS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """What the model gets.

    Attributes:
        text: as the chat template renders it.
        ids: int64 [length].
        stable_length: tokens at its start that depend on the persona alone; 0 if the template hides the persona.
        turns: how many of the last turns it tells.
        dropped: what did not fit, each with the name of its part in front, cut after 120 characters.
    """

    text: str
    ids: npt.NDArray[np.int64]
    stable_length: int
    turns: int
    dropped: tuple[str, ...]


class PromptBuilder:
    """Builds prompts for one model.

    Args:
        template: the bundle's chat template.
        tokenizer: the bundle's tokenizer.
        special_tokens: every control token's spelling; all of them are removed from whatever a game or a player says.
        budget: most tokens of a prompt and its parts.
    """

    def __init__(
        self, template: ChatTemplate, tokenizer: Tokenizer, special_tokens: Sequence[str], budget: PromptBudget
    ) -> None:
        self.budget = budget
        self._template = template
        self._tokens = PromptTokens(tokenizer, special_tokens)
        self._start_ids = lru_cache(_KEPT_STARTS)(self._tokens.ids)

    @classmethod
    def of(cls, bundle: Bundle, prompt_tokens: int | None = None) -> Self:
        """The builder of a bundle's prompts.

        Args:
            bundle: the bundle.
            prompt_tokens: most tokens of a prompt; None for the default of `PromptBudget.for_model`.

        Raises:
            BundleError: its chat template is not valid Jinja.
            RequestError: the model does not take so many tokens.
        """
        manifest = bundle.manifest
        template = ChatTemplate(bundle.chat_template, manifest.tokens.bos, bundle.eos_token)
        budget = PromptBudget.for_model(manifest.geometry, prompt_tokens)
        return cls(template, bundle.tokenizer, manifest.tokens.special, budget)

    def build(
        self, npc: Npc, text: str, history: Sequence[Turn] = (), world: World = NO_WORLD, summary: str = ""
    ) -> Prompt:
        """The prompt, which ends where the character's line begins and never has more tokens than the budget says.

        Args:
            npc: who answers.
            text: what the player says now.
            history: earlier turns, oldest first, each (what the player said, what the character answered).
            world: what is true in the game.
            summary: of turns before those of `history`; empty for none.

        Raises:
            RequestError: nothing is left of `text` without control tokens, the template refuses the conversation, or
                has more tokens by itself than a prompt may ("prompt-too-long").
            BundleError: the template fails.
        """
        line = self._tokens.line
        wanted = Wanted(npc, line(text), [(line(said), line(answer)) for said, answer in history], world, summary)
        if not wanted.text:
            raise RequestError("text holds nothing but control tokens", "Send what the player says in plain words")
        room = self.budget.prompt_tokens
        while True:
            parts = PartsChooser(wanted, self.budget, room, self._tokens).choose()
            prompt = self._rendered(parts)
            too_many = len(prompt.ids) - self.budget.prompt_tokens
            if too_many <= 0:
                return prompt
            if room <= 0:
                raise RequestError(
                    f"a prompt of this model has {len(prompt.ids)} tokens at least, and "
                    f"{self.budget.prompt_tokens} are allowed",
                    "Allow longer prompts",
                    code="prompt-too-long",
                )
            # Markers of the template, and words that have more tokens side by side than one by one.
            room = max(0, min(room, parts.tokens) - too_many)

    def _rendered(self, parts: PromptParts) -> Prompt:
        persona = "\n".join(parts.persona)
        messages = [("system", "\n".join([*parts.persona, *parts.facts]))]
        for said, answer in parts.turns:
            messages += [("user", said), ("assistant", answer)]
        text = self._template.render([*messages, ("user", parts.text)])
        ids = self._tokens.ids(text)
        stable_length = self._stable_length(persona, text, ids)
        return Prompt(text, np.array(ids, dtype=np.int64), stable_length, len(parts.turns), parts.dropped)

    def _stable_length(self, persona: str, text: str, ids: Sequence[int]) -> int:
        """Tokens that the prompt has in common with its start up to the end of the persona.

        Where a token may stretch across that end, a tokenizer can join the persona's last token with what follows.
        """
        start = text.find(persona)
        if not persona or start < 0:
            return 0
        stable = self._start_ids(text[: start + len(persona)])
        longest = min(len(stable), len(ids) - FEWEST_BEHIND_STABLE)
        return next((index for index in range(longest) if stable[index] != ids[index]), max(0, longest))
