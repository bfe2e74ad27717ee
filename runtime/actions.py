"""What a line may carry out: declarations of actions, and every call that they allow.

    open_gate()                           no argument
    give(item: iron kettle|oak shield)    one of several texts
    pay(amount: 1..20)                    a whole number of a range, both ends included
    trade(item: rope|torch, count: 1..3)  several arguments

A call is always one of `concrete_calls`, so nothing that was not declared can come out.
"""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.errors import RequestError

MAX_CALLS = 64
MAX_ARGUMENTS = 8
MAX_INTEGER = 1_000_000_000

_GRAMMAR = "Write open_gate(), give(item: iron kettle|oak shield) or pay(amount: 1..20)"
_NAME = r"[a-z_][a-z0-9_]{0,63}"
_DECLARATION = re.compile(rf"\s*({_NAME})\s*\(([^()\[\]]*)\)\s*")
_ARGUMENT = re.compile(rf"\s*({_NAME})\s*:(.*)", re.DOTALL)
_RANGE = re.compile(r"\s*(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10})\s*")


@dataclass(frozen=True, slots=True)
class ActionCall:
    """An action that a line carries out.

    Attributes:
        name: as declared.
        args: a text or a whole number by name of the argument, in the order of the declaration; not to be changed.
    """

    name: str
    args: Mapping[str, str | int]

    @property
    def text(self) -> str:
        """As the model reads and writes it: `give(iron kettle)`."""
        return f"{self.name}({', '.join(map(str, self.args.values()))})"

    def to_mapping(self) -> dict[str, Any]:
        """Plain data for JSON or msgpack."""
        return {"name": self.name, "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Argument:
    """What an action is about.

    Attributes:
        name: of the argument.
        values: all that it may be, in order.
    """

    name: str
    values: Sequence[str] | range

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Action:
    """One declared action."""

    name: str
    arguments: tuple[Argument, ...] = ()

    @property
    def text(self) -> str:
        """As the prompt declares it: `give(item)`."""
        return f"{self.name}({', '.join(argument.name for argument in self.arguments)})"

    @property
    def count(self) -> int:
        """How many calls it allows."""
        return math.prod(map(len, self.arguments))

    def calls(self) -> list[ActionCall]:
        """Every call, the last argument changing first."""
        names = [argument.name for argument in self.arguments]
        values_of: list[Sequence[str | int]] = [argument.values for argument in self.arguments]
        combined = itertools.product(*values_of)
        return [ActionCall(self.name, dict(zip(names, values, strict=True))) for values in combined]


def parse_actions(declarations: Sequence[str]) -> tuple[Action, ...]:
    """Read declarations.

    Raises:
        RequestError: one is not written as above, two have one name, or they allow more than 64 calls in all.
    """
    actions = tuple(_action(declaration) for declaration in declarations)
    names = [action.name for action in actions]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise RequestError(f"the action {twice} is declared twice", "Give all its values in one declaration")
    calls = sum(action.count for action in actions)
    if calls > MAX_CALLS:
        raise RequestError(
            f"the actions allow {calls} different calls, at most {MAX_CALLS} are allowed",
            "Declare those that make sense just now",
        )
    return actions


def concrete_calls(actions: Sequence[Action]) -> list[ActionCall]:
    """All calls that they allow, in order of declaration; 64 at most."""
    return [call for action in actions for call in action.calls()]


def _action(declaration: str) -> Action:
    found = _DECLARATION.fullmatch(declaration)
    if found is None:
        raise _not_read(declaration, "it is not a name and brackets")
    name, inside = found.groups()
    parts = inside.split(",") if inside.strip() else []
    if len(parts) > MAX_ARGUMENTS:
        raise _not_read(declaration, f"it has {len(parts)} arguments, at most {MAX_ARGUMENTS} are allowed")
    arguments = tuple(_argument(declaration, part) for part in parts)
    if len({argument.name for argument in arguments}) < len(arguments):
        raise _not_read(declaration, "two arguments have one name")
    return Action(name, arguments)


def _argument(declaration: str, part: str) -> Argument:
    found = _ARGUMENT.fullmatch(part)
    if found is None:
        raise _not_read(declaration, f"{part.strip()[:40]!r} is not a name, a colon and values")
    name, values = found.groups()
    if (limits := _RANGE.fullmatch(values)) is not None:
        low, high = map(int, limits.groups())
        if low > high or max(abs(low), abs(high)) > MAX_INTEGER:
            raise _not_read(declaration, f"{values.strip()} is not a range of whole numbers up to {MAX_INTEGER}")
        return Argument(name, range(low, high + 1))
    texts = tuple(" ".join(value.split()) for value in values.split("|"))
    if not all(texts):
        raise _not_read(declaration, f"a value of {name} is empty")
    if len(set(texts)) < len(texts):
        raise _not_read(declaration, f"{name} has a value twice")
    return Argument(name, texts)


def _not_read(declaration: str, reason: str) -> RequestError:
    return RequestError(f"the action {declaration.strip()[:60]!r} cannot be read: {reason}", _GRAMMAR)
