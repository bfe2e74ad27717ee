"""Scripts written on the spot, and what the readers make of them."""

import pytest

from tools.train.script.read import read_script
from tools.train.script.sample import Script, ScriptError


@pytest.fixture
def read(tmp_path):
    """Write a file and read it; what is given as bytes is written as it is."""

    def run(name: str, text: str | bytes) -> Script:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return read_script(path)

    return run


@pytest.fixture
def told(read):
    """What each line is and answers: (speaker, context, line)."""

    def run(name: str, text: str | bytes) -> list[tuple]:
        return [(sample.speaker, sample.context, sample.line) for sample in read(name, text).samples]

    return run


@pytest.fixture
def fault(read):
    """The error that a file gives."""

    def run(name: str, text: str | bytes) -> str:
        with pytest.raises(ScriptError) as error:
            read(name, text)
        return error.value.message

    return run
