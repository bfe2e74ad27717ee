"""Typed records from plain data: JSON values into frozen dataclasses, with the path of whatever is wrong."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


class RecordError(ValueError):
    """Data that does not fit the record; the text names the path, what was found and what was expected."""


def record_from(kind: type[Record], data: object, path: str) -> Record:
    """Build the dataclass `kind` from `data`, checking every type on the way down.

    Lists become tuples. An int is accepted where a float is expected, a bool is never a number. Unknown keys are left
    alone, so that a newer writer may add facts without breaking older readers.

    Args:
        kind: a dataclass whose fields are str, int, float, bool, Literal, `X | None`, tuple[X, ...], dict[str, X],
            Mapping[str, X] or further dataclasses.
        data: what json.loads gave.
        path: how error messages call the top of `data`.

    Raises:
        RecordError: a missing key, a wrong type, or a value that the dataclass itself refuses with ValueError.
    """
    if not isinstance(data, Mapping):
        raise RecordError(f"{path} must be an object, not {_kind_of(data)}")
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in fields(cast(Any, kind)):
        if field.name in data:
            values[field.name] = _value_from(hints[field.name], data[field.name], f"{path}.{field.name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise RecordError(f"{path}.{field.name} is missing")
    try:
        return kind(**values)
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(f"{path}: {error}") from error


def _value_from(hint: Any, data: object, path: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return record_from(cast(type[Any], hint), data, path)
    if origin is tuple:
        items = _expect(list, "a list", data, path)
        return tuple(_value_from(arguments[0], item, f"{path}[{index}]") for index, item in enumerate(items))
    if origin in (dict, Mapping):
        items = _expect(dict, "an object", data, path)
        return {key: _value_from(arguments[1], item, f"{path}[{key!r}]") for key, item in items.items()}
    if origin is Literal:
        if not any(type(data) is type(choice) and data == choice for choice in arguments):
            raise RecordError(f"{path} is {data!r}, expected one of {', '.join(map(repr, arguments))}")
        return data
    if origin in (Union, UnionType):
        return _value_from_any_of(arguments, data, path)
    return _scalar_from(hint, data, path)


def _value_from_any_of(hints: tuple[Any, ...], data: object, path: str) -> Any:
    for hint in hints:
        try:
            return _value_from(hint, data, path)
        except RecordError:
            continue
    expected = " or ".join("null" if hint is NoneType else hint.__name__ for hint in hints)
    raise RecordError(f"{path} must be {expected}, not {_kind_of(data)}")


def _scalar_from(hint: Any, data: object, path: str) -> Any:
    if hint is float:
        return float(_expect((int, float), "a number", data, path))
    if hint is NoneType:
        return _expect(NoneType, "null", data, path)
    return _expect(hint, {str: "a string", int: "a whole number", bool: "true or false"}[hint], data, path)


def _expect(kinds: Any, expected: str, data: object, path: str) -> Any:
    if not isinstance(data, kinds) or (isinstance(data, bool) and kinds is not bool):
        raise RecordError(f"{path} must be {expected}, not {_kind_of(data)}")
    return data


def _kind_of(data: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", NoneType: "null"}
    return names.get(type(data), "a number")
