"""Palaver: NPC lines from a block diffusion model, in process or as a sidecar.

    from runtime import Npc, load
    palaver = load()
    line = palaver.ask(Npc("smith", "Mira", "blacksmith"), "Hello")
    print(line.text)

Names are imported when they are first used: a persona or an error needs no ONNX Runtime.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from runtime.version import __version__

if TYPE_CHECKING:
    from runtime.actions import ActionCall
    from runtime.choice import Choice, ChooseRequest
    from runtime.conversation import Conversation
    from runtime.draft import Draft
    from runtime.engine import Engine
    from runtime.errors import BundleError, ModelError, PalaverError, RequestError
    from runtime.filters import StudioFilters
    from runtime.line import Line, Timings
    from runtime.npc import Npc
    from runtime.palaver import Palaver, load
    from runtime.request import AskRequest
    from runtime.world import World, WorldSection

__all__ = [
    "ActionCall",
    "AskRequest",
    "BundleError",
    "Choice",
    "ChooseRequest",
    "Conversation",
    "Draft",
    "Engine",
    "Line",
    "ModelError",
    "Npc",
    "Palaver",
    "PalaverError",
    "RequestError",
    "StudioFilters",
    "Timings",
    "World",
    "WorldSection",
    "__version__",
    "load",
]

_HOMES = {
    "ActionCall": "runtime.actions",
    "AskRequest": "runtime.request",
    "BundleError": "runtime.errors",
    "Choice": "runtime.choice",
    "ChooseRequest": "runtime.choice",
    "Conversation": "runtime.conversation",
    "Draft": "runtime.draft",
    "Engine": "runtime.engine",
    "Line": "runtime.line",
    "ModelError": "runtime.errors",
    "Npc": "runtime.npc",
    "Palaver": "runtime.palaver",
    "PalaverError": "runtime.errors",
    "RequestError": "runtime.errors",
    "StudioFilters": "runtime.filters",
    "Timings": "runtime.line",
    "World": "runtime.world",
    "WorldSection": "runtime.world",
    "load": "runtime.palaver",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'runtime' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
