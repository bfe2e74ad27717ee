"""Which package brings ONNX Runtime: two of them in one environment overwrite each other's files."""

import sys
from collections.abc import Sequence
from importlib.metadata import Distribution

PACKAGES = ("onnxruntime", "onnxruntime-gpu")


def installation_warning(path: Sequence[str] | None = None) -> str | None:
    """One line about an environment in which ONNX Runtime is installed twice, with the cure; None if it is not.

    `path` is where to look; None for sys.path.
    """
    folders = list(sys.path if path is None else path)
    found = [name for name in PACKAGES if any(Distribution.discover(name=name, path=folders))]
    if len(found) < 2:
        return None
    return (
        f"{' and '.join(found)} are both installed and overwrite each other. "
        "Keep one: pip uninstall -y onnxruntime onnxruntime-gpu, then pip install the one you want"
    )
