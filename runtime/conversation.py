"""A conversation with one character in process, which it remembers as a sidecar would."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from runtime.choice import Choice, ChooseOptions
from runtime.errors import PalaverError, RequestError
from runtime.job import StepReport
from runtime.line import Line
from runtime.memory import KEPT_TURNS, Memory, Summariser, check_summary, condensed
from runtime.npc import Npc
from runtime.palaver import Palaver
from runtime.prompt import Prompt
from runtime.request import AskOptions, AskRequest
from runtime.saved_turns import read_save, save_text
from runtime.world import NO_WORLD, World


class Conversation:
    """What was said to and by one character, and what is true around it; from any thread, one question at a time.

    Args:
        palaver: what answers; shared by as many conversations as a game has characters.
        npc: who answers.
        summariser: tells turns that no longer fit into a prompt; None to leave them out of it.

    Attributes:
        npc: who answers; may be replaced by another persona of the same id.
        world: what is true in the game right now, a World or plain data for one; may be replaced.
    """

    def __init__(self, palaver: Palaver, npc: Npc, summariser: Summariser | None = None) -> None:
        self.npc = npc
        self.world: World | Mapping[str, Any] = NO_WORLD
        self._palaver = palaver
        self._summariser = summariser
        self._memory = Memory()
        # Counts loads, so that a line that was begun before one is not said after it.
        self._loads = 0
        self._turn = threading.Lock()
        self._changes = threading.Lock()

    @property
    def memory(self) -> Memory:
        """What the character remembers."""
        return self._memory

    def ask(
        self,
        text: str,
        *,
        record: bool = True,
        on_step: Callable[[StepReport], None] | None = None,
        **options: Unpack[AskOptions],
    ) -> Line:
        """The character's answer, which it remembers; blocks until it is there.

        Args:
            text: what the player says.
            record: remember this turn, unless the line is a fallback.
            on_step: called after each denoising step; must not ask in turn.
            options: as of `AskRequest`, without history, summary and world, which the conversation has itself.

        Raises:
            RequestError: the request is outside its limits.
            ModelError: the model failed.
            PalaverError: `load` was called meanwhile ("cancelled").
        """
        _refuse_known(options)
        with self._turn:
            loads = self._loads
            self._condense(text)
            memory = self._memory
            options.update({"history": memory.turns, "summary": memory.summary, "world": self.world})
            still_wanted = partial(self._check_loads, loads)
            line = self._palaver.ask(self.npc, text, on_step=on_step, on_unit=still_wanted, **options)
            with self._changes:
                self._check_loads(loads)
                if record and line.source != "fallback":
                    self._memory = self._memory.with_turn((text, line.remembered))
        return line

    def choose(self, text: str, options: Sequence[str], **more: Unpack[ChooseOptions]) -> Choice:
        """Which of several answers fits best; nothing is remembered. Errors as of `ask`."""
        _refuse_known(more)
        with self._turn:
            loads = self._loads
            self._condense(text)
            memory = self._memory
            more.update({"history": memory.turns, "summary": memory.summary, "world": self.world})
            still_wanted = partial(self._check_loads, loads)
            choice = self._palaver.choose(self.npc, text, options, on_unit=still_wanted, **more)
            still_wanted()
        return choice

    def prompt(self, text: str) -> Prompt:
        """What the model would read, were this asked now. Raises RequestError."""
        memory = self._memory
        request = AskRequest(self.npc, text, history=memory.turns, summary=memory.summary, world=self.world)
        return self._palaver.engine.prompt(request)

    def set_summary(self, text: str, keep: int = KEPT_TURNS) -> None:
        """Let a summary of up to 4000 characters stand for all but the last `keep` turns. Raises RequestError."""
        check_summary(text, keep)
        with self._changes:
            self._memory = self._memory.summarised(text, keep)

    def save(self) -> str:
        """What the character remembers, as text for a saved game; the protocol's README tells its form."""
        return save_text(self.npc.id, self._memory)

    def load(self, data: str) -> None:
        """Let what the character remembers be as in this text of `save`, at once; what is asked just now is cancelled.

        Raises:
            RequestError: the text cannot be read ("bad-save", "save-version") or is another character's
                ("unknown-npc"); nothing has changed then.
        """
        npc_id, memory = read_save(data)
        if npc_id != self.npc.id:
            raise RequestError(
                f"this is what {npc_id[:60]!r} remembers, not {self.npc.id[:60]!r}",
                "Load it into the conversation of that character",
                code="unknown-npc",
            )
        with self._changes:
            self._loads += 1
            self._memory = memory

    def _condense(self, text: str) -> None:
        """Hand what a prompt has no room for to the summariser."""
        if self._summariser is None:
            return
        memory = self._memory
        shorter = condensed(memory, self.prompt(text).turns, self._summariser)
        with self._changes:
            if self._memory is memory:
                self._memory = shorter

    def _check_loads(self, loads: int) -> None:
        if self._loads != loads:
            raise PalaverError("what the character remembers was replaced meanwhile", "Ask again", code="cancelled")


def _refuse_known(options: AskOptions | ChooseOptions) -> None:
    for name in ("history", "summary", "world"):
        if name in options:
            raise RequestError(f"a conversation has its own {name}", "Leave it out")
