"""A bundle's chat template: from who said what to the text that the model goes on with."""

from collections.abc import Iterable
from typing import NoReturn

import jinja2
import jinja2.sandbox

from runtime.errors import BundleError, RequestError


class ChatTemplate:
    """Renders conversations.

    Args:
        template: text of the bundle's chat template (Jinja).
        bos_token: spelling of the begin-of-sequence token, for the template.
        eos_token: spelling of the end-of-sequence token, for the template.

    Raises:
        BundleError: the template is not valid Jinja.
    """

    def __init__(self, template: str, bos_token: str, eos_token: str) -> None:
        # The template comes with the model and is data, not code to trust: the same sandbox as transformers' own.
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _refuse
        try:
            self._template = environment.from_string(template)
        except jinja2.TemplateError as error:
            raise _broken_template(error) from error
        self._bos_token = bos_token
        self._eos_token = eos_token

    def render(self, messages: Iterable[tuple[str, str]]) -> str:
        """The conversation as text, ending where the next line begins.

        Args:
            messages: role ("system", "user", "assistant") and content of each, without control tokens.

        Raises:
            RequestError: the template refuses the conversation.
            BundleError: the template fails.
        """
        try:
            return self._template.render(
                messages=[{"role": role, "content": content} for role, content in messages],
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


def _refuse(reason: object) -> NoReturn:
    raise RequestError(f"the chat template refuses this conversation: {reason}", "Change the history or the text")


def _broken_template(error: Exception) -> BundleError:
    return BundleError(f"chat_template.jinja fails: {error}", "Export the model again with a working chat template")
