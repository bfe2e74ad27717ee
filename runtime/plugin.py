"""Functions of a studio's own, named on the command line."""

import importlib
from collections.abc import Callable
from typing import Any

from runtime.errors import RequestError


def load_function(name: str, what: str) -> Callable[..., Any]:
    """The function that `module:function` names; `what` tells what it is for.

    Raises:
        RequestError: the name is no `module:function`, the module cannot be imported, or has no such function.
    """
    module_name, _, function_name = name.partition(":")
    if not (module_name and function_name):
        raise RequestError(f"the {what} {name[:120]!r} names no function", "Write module:function")
    try:
        found = getattr(importlib.import_module(module_name), function_name)
    # Whatever a studio's module raises while it is imported.
    except Exception as error:
        raise RequestError(
            f"the {what} {name[:120]!r} cannot be loaded ({type(error).__name__}: {error})",
            "Give module:function, of a module that Python finds",
        ) from error
    if not callable(found):
        raise RequestError(f"the {what} {name[:120]!r} is no function", "Give module:function")
    return found  # type: ignore[no-any-return]
