"""From a persona, earlier turns and the player's words to the token ids of a prompt."""

from collections.abc import Sequence
from typing import NoReturn

import jinja2
import jinja2.sandbox
import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from runtime.errors import BundleError, RequestError
from runtime.markers import remove_markers
from runtime.npc import Npc

Turn = tuple[str, str]


def system_text(npc: Npc) -> str:
    """The persona as the model reads it; parts that are empty are left out.

    `You are Mira, blacksmith of Oakvale. Mood: tired. Manner: gruff.` and then one fact a line.
    """
    place = f" of {npc.place.strip()}" if npc.place.strip() else ""
    sentences = [f"You are {npc.name.strip()}, {npc.role.strip()}{place}."]
    if npc.mood.strip():
        sentences.append(f"Mood: {npc.mood.strip()}.")
    if npc.manner.strip():
        sentences.append(f"Manner: {npc.manner.strip()}.")
    return "\n".join([" ".join(sentences), *(fact.strip() for fact in npc.knowledge)])


class PromptBuilder:
    """Renders a bundle's chat template and tokenises the result.

    Args:
        template: text of the bundle's chat template (Jinja).
        tokenizer: the bundle's tokenizer.
        special_tokens: every control token's spelling; all of them are removed from whatever a game or a player says.
        bos_token: spelling of the begin-of-sequence token, for the template.
        eos_token: spelling of the end-of-sequence token, for the template.

    Raises:
        BundleError: the template is not valid Jinja.
    """

    def __init__(
        self, template: str, tokenizer: Tokenizer, special_tokens: Sequence[str], bos_token: str, eos_token: str
    ) -> None:
        # The template comes with the model and is data, not code to trust: the same sandbox as transformers' own.
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _refuse
        try:
            self._template = environment.from_string(template)
        except jinja2.TemplateError as error:
            raise _broken_template(error) from error
        self._tokenizer = tokenizer
        self._special_tokens = tuple(special_tokens)
        self._bos_token = bos_token
        self._eos_token = eos_token

    def render(self, npc: Npc, text: str, history: Sequence[Turn] = ()) -> str:
        """The prompt as text, ending where the character's line begins.

        Args:
            npc: who answers.
            text: what the player says now.
            history: earlier turns, oldest first, each (what the player said, what the character answered).

        Raises:
            RequestError: nothing is left of `text` without control tokens, or the template refuses the conversation.
            BundleError: the template fails.
        """
        messages = [("system", system_text(npc))]
        for player_text, npc_text in history:
            messages += [("user", player_text), ("assistant", npc_text)]
        messages.append(("user", text))
        cleaned = [{"role": role, "content": remove_markers(said, self._special_tokens)} for role, said in messages]
        if not cleaned[-1]["content"].strip():
            raise RequestError("text holds nothing but control tokens", "Send what the player says in plain words")
        try:
            return self._template.render(
                messages=cleaned,
                add_generation_prompt=True,
                bos_token=self._bos_token,
                eos_token=self._eos_token,
                enable_thinking=False,
            )
        except RequestError:
            raise
        # A template is foreign code: besides Jinja's own errors it can raise TypeError, KeyError and whatever else.
        except Exception as error:
            raise _broken_template(error) from error

    def build(self, npc: Npc, text: str, history: Sequence[Turn] = ()) -> npt.NDArray[np.int64]:
        """Token ids of the prompt, int64 [length]; arguments and errors as for `render`."""
        rendered = self.render(npc, text, history)
        return np.array(self._tokenizer.encode(rendered, add_special_tokens=False).ids, dtype=np.int64)


def _refuse(reason: object) -> NoReturn:
    raise RequestError(f"the chat template refuses this conversation: {reason}", "Change the history or the text")


def _broken_template(error: Exception) -> BundleError:
    return BundleError(f"chat_template.jinja fails: {error}", "Export the model again with a working chat template")
