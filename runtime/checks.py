"""Checks of values that come from outside, made once at the edge."""

import math

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


def check_bool(name: str, value: object) -> bool:
    """Return `value` if it is True or False, else raise RequestError."""
    if not isinstance(value, bool):
        raise RequestError(f"{name} must be true or false, not {type(value).__name__}", "Give true or false")
    return value


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return `value` as a float if it is a finite number with low <= value <= high, else raise RequestError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RequestError(f"{name} must be a number, not {type(value).__name__}", f"Give {low:g} to {high:g}")
    if not (math.isfinite(value) and low <= value <= high):
        raise RequestError(f"{name} is {value}, out of range", f"Give {low:g} to {high:g}")
    return float(value)


def check_texts(name: str, values: object, *, what: str, max_count: int, max_chars: int) -> None:
    """Raise RequestError unless `values` is a tuple of at most `max_count` texts that `check_text` accepts."""
    if not isinstance(values, tuple):
        raise RequestError(
            f"{name} must be a list of {what}, not {type(values).__name__}",
            f'Write {name.split(".")[-1]} = ["...", "..."]',
        )
    if len(values) > max_count:
        raise RequestError(f"{name} has {len(values)} {what}, at most {max_count} are allowed", "Leave some out")
    for index, text in enumerate(values):
        check_text(f"{name}[{index}]", text, max_chars=max_chars)
