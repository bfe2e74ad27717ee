"""What a long measurement says while it runs."""

import sys


def tell(what: str) -> None:
    """A line on standard error, so that standard output stays the report."""
    print(what, file=sys.stderr, flush=True)
