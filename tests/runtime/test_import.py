"""What an import costs: a game tool that only reads personas must not load ONNX Runtime, and nothing loads torch."""

import subprocess
import sys

import pytest

import runtime


def modules_after(statement):
    program = f"{statement}; import sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import runtime", "import runtime.npc", "import runtime.prompt"])
def test_light_imports_do_not_load_onnxruntime(statement):
    assert not {"onnxruntime", "torch", "transformers"} & modules_after(statement)


def test_the_whole_library_does_not_load_torch():
    modules = modules_after("from runtime import load")
    assert "onnxruntime" in modules
    assert not {"torch", "transformers", "export"} & modules


@pytest.mark.parametrize("name", runtime.__all__)
def test_every_public_name_resolves(name):
    assert getattr(runtime, name) is not None


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        runtime.nonsense  # noqa: B018
