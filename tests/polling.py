"""A client as a game loop drives it: polled once a frame."""

import time


def poll_until(client, done, limit_s=30.0):
    """What `poll` tells until `done(ended)`, as a game loop would call it."""
    ended, ends_s = [], time.monotonic() + limit_s
    while not done(ended):
        assert time.monotonic() < ends_s, f"it did not happen, and {len(ended)} requests ended"
        ended += client.poll()
        time.sleep(0.005)
    return ended


def poll_for(client, count):
    """What `poll` tells until so many requests have ended."""
    return poll_until(client, lambda ended: len(ended) >= count)
