"""The one family of errors that Palaver raises on purpose."""

from typing import ClassVar


class PalaverError(Exception):
    """Base of every error that a user of Palaver can do something about.

    Attributes:
        code: kebab-case name, stable across releases; a subclass has its own default.
        message: what is wrong, one line, without a full stop at the end.
        hint: what to do about it, one line, without a full stop at the end; may be empty.
    """

    default_code: ClassVar[str] = "error"

    def __init__(self, message: str, hint: str = "", *, code: str | None = None) -> None:
        self.code = code or self.default_code
        self.message = _one_line(message).rstrip(".")
        self.hint = _one_line(hint).rstrip(".")
        super().__init__(f"{self.message}. {self.hint}" if self.hint else self.message)


class BundleError(PalaverError):
    """A bundle that cannot be used: missing, damaged, of another version, or not what its manifest says."""

    default_code = "bad-bundle"


class RequestError(PalaverError):
    """A request that cannot be served as asked: the caller has to change it."""

    default_code = "bad-request"


class ModelError(PalaverError):
    """The step graph failed or gave numbers that no text may be made of."""

    default_code = "model-failed"


def _one_line(text: str) -> str:
    return " ".join(text.split())
