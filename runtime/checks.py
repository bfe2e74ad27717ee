"""Checks of values that come from outside, made once at the edge."""

from runtime.errors import RequestError

MAX_TEXT_CHARS = 4000


def check_text(name: str, value: object, *, max_chars: int = MAX_TEXT_CHARS, may_be_empty: bool = False) -> str:
    """Return `value` if it is text that can be tokenised, else raise RequestError naming `name` and the limit."""
    if not isinstance(value, str):
        raise RequestError(f"{name} must be text, not {type(value).__name__}", f"Give {name} as a string")
    if len(value) > max_chars:
        raise RequestError(f"{name} has {len(value)} characters, at most {max_chars} are allowed", "Shorten it")
    if not may_be_empty and not value.strip():
        raise RequestError(f"{name} is empty", f"Give {name} at least one character that is not a space")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError(
            f"{name} holds a lone surrogate at character {error.start}", "Send valid Unicode text."
        ) from error
    return value


def check_int(name: str, value: object, low: int, high: int) -> int:
    """Return `value` if it is an int (not a bool) with low <= value <= high, else raise RequestError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(f"{name} must be a whole number, not {type(value).__name__}", f"Give {low} to {high}")
    if not low <= value <= high:
        raise RequestError(f"{name} is {value}, out of range", f"Give {low} to {high}")
    return value
