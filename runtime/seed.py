"""The number that every draw of a line comes from."""

import secrets

from runtime.request import AskRequest

# JSON readers in JavaScript, Godot and Lua hold numbers as doubles, which are exact up to 53 bits.
RANDOM_SEED_BITS = 53


def seed_of(request: AskRequest) -> int:
    """The seed that was asked for, or a random one."""
    return secrets.randbits(RANDOM_SEED_BITS) if request.seed is None else request.seed
