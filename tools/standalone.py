"""`python -m tools.standalone OUT [--model DIR]`: the sidecar as one folder that needs no Python where it runs.

Made for the platform that this runs on, with PyInstaller. In the folder OUT/palaver-sidecar lie the program
`palaver-sidecar`, which takes the options of `python -m runtime.serve`, and its parts with the model. Ship the folder
as it is.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from runtime.pocket import POCKET_MODEL

ROOT = Path(__file__).resolve().parent.parent
NAME = "palaver-sidecar"
# Their metadata holds versions, which the log tells, and the licences of most.
SHIPPED = ("onnxruntime", "numpy", "tokenizers", "jinja2", "markupsafe", "msgpack", "pyzmq")
# What those packages import somewhere, for purposes that a sidecar has not.
LEFT_OUT = (
    "IPython", "PIL", "google", "hf_xet", "huggingface_hub", "matplotlib", "onnx", "onnxruntime.quantization",
    "onnxruntime.tools", "onnxruntime.transformers", "pandas", "pip", "pkg_resources", "psutil", "pydoc", "pytest",
    "scipy", "setuptools", "sqlite3", "sympy", "tkinter", "torch", "transformers", "yaml",
)  # fmt: skip


def build_standalone(out: Path, model: Path = POCKET_MODEL) -> Path:
    """Build the folder and return it; one that is there already is replaced.

    Args:
        out: where the folder is made.
        model: folder of the bundle that goes with it, as its default model.

    Raises:
        subprocess.CalledProcessError: PyInstaller failed, and has said why.
    """
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--onedir", "--console", "--log-level", "WARN"]
    with tempfile.TemporaryDirectory() as work:
        data = f"{model.resolve()}:{POCKET_MODEL.relative_to(ROOT).as_posix()}"
        command += ["--name", NAME, "--distpath", str(out), "--workpath", work, "--specpath", work]
        command += ["--paths", str(ROOT), "--add-data", data]
        command += [word for package in SHIPPED for word in ("--copy-metadata", package)]
        command += [word for module in LEFT_OUT for word in ("--exclude-module", module)]
        subprocess.run([*command, str(ROOT / "runtime" / "serve.py")], check=True, cwd=work)
    folder = out / NAME
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def size_mb(folder: Path) -> float:
    """Bytes of all files below a folder, in 2**20."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / (
        1 << 20
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Build it, and tell where it is and how large."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.standalone", description="Build a sidecar that needs no Python, for this platform."
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="folder in which the folder palaver-sidecar is made")
    parser.add_argument(
        "--model", type=Path, default=POCKET_MODEL, metavar="DIR", help="bundle to ship (default: pocket)"
    )
    options = parser.parse_args(arguments)
    folder = build_standalone(options.out.resolve(), options.model)
    print(f"{folder}: {size_mb(folder):.0f} MB")


if __name__ == "__main__":
    main()
