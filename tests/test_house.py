"""The rules of the house: what may import what, and how long a file may be."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Where the name of the distribution is not that of the import package.
IMPORT_NAMES = {"pyzmq": "zmq", "onnx-ir": "onnx_ir"}
MAX_LINES = 300


def declared(requirements):
    """Import names of a list of requirements."""
    names = [re.split(r"[<>=\[ ]", requirement)[0] for requirement in requirements]
    return {IMPORT_NAMES.get(name, name) for name in names}


def sources(package):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    return files


def imported(file):
    """Top-level names that a file imports anywhere, inside functions and for type checking too."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


@pytest.mark.parametrize("file", sources("runtime"), ids=lambda file: file.name)
def test_the_runtime_imports_itself_and_its_declared_dependencies_only(file):
    assert imported(file) <= {"runtime"} | declared(PROJECT["dependencies"])


@pytest.mark.parametrize("file", sources("export"), ids=lambda file: file.name)
def test_the_exporter_imports_the_runtime_and_its_declared_dependencies_only(file):
    extra = declared(PROJECT["optional-dependencies"]["export"])
    assert imported(file) <= {"export", "runtime"} | declared(PROJECT["dependencies"]) | extra


def test_every_declared_dependency_of_the_runtime_is_used():
    used = set().union(*map(imported, sources("runtime")))
    assert declared(PROJECT["dependencies"]) <= used


@pytest.mark.parametrize("file", [*sources("runtime"), *sources("export")], ids=lambda file: file.name)
def test_no_file_is_longer_than_one_idea(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def modules_after(statement):
    """Top-level modules that a fresh Python has loaded after a statement."""
    program = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("module", ["runtime.serve", "runtime.ask", "runtime.client", "runtime.palaver"])
def test_whatever_ships_with_a_game_loads_nothing_of_the_workshop(module):
    assert not modules_after(f"import {module}") & {"torch", "transformers", "onnx", "optimum", "export", "tools"}


def test_a_client_loads_no_inference_engine():
    assert not modules_after("import runtime.client") & {"onnxruntime", "tokenizers", "jinja2"}


def test_the_two_commands_need_nothing_but_the_standard_library():
    for name in ("quickstart", "test", "environment"):
        assert imported(ROOT / "tools" / f"{name}.py") <= {"tools"}
