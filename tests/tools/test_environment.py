"""Real virtual environments, with a two-file wheel in place of the project, so that no package index is needed."""

import subprocess
import sys
import zipfile

import pytest

from tools.environment import STAMP_NAME, SetupError, create_venv, ensure_environment, fingerprint, python_of


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    path = tmp_path_factory.mktemp("wheel") / "palaver-0.0.1-py3-none-any.whl"
    info = "palaver-0.0.1.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: palaver\nVersion: 0.0.1\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("parley.py", "LINE = 'aye'\n")
        archive.writestr(f"{info}/RECORD", f"parley.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path


@pytest.fixture(scope="module")
def venv(tmp_path_factory, wheel):
    """Installed with the stamp "one", in a folder whose name is not plain ASCII."""
    folder = tmp_path_factory.mktemp("home") / "my gämes 田"
    said = []
    assert ensure_environment(folder, [str(wheel)], "one", said.append)
    assert any("virtual environment" in line for line in said)
    assert any(line.strip().startswith("Installing") for line in said)
    return folder


def run(venv, code):
    return subprocess.run([str(python_of(venv)), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_environment_holds_what_was_installed(venv):
    assert run(venv, "import parley; print(parley.LINE)") == "aye"


def test_the_same_stamp_installs_nothing(venv, wheel):
    said = []
    assert not ensure_environment(venv, [str(wheel)], "one", said.append)
    assert said == []


def test_another_stamp_installs_again(venv, wheel):
    assert ensure_environment(venv, [str(wheel)], "two", lambda line: None)
    assert not ensure_environment(venv, [str(wheel)], "two", lambda line: None)


def test_a_stamp_without_the_project_is_not_believed(venv, wheel):
    subprocess.run([str(python_of(venv)), "-m", "pip", "uninstall", "-qy", "palaver"], check=True)
    stamp = (venv / STAMP_NAME).read_text(encoding="utf-8")
    assert ensure_environment(venv, [str(wheel)], stamp, lambda line: None)


def test_a_failed_installation_says_why_and_leaves_no_stamp(venv, tmp_path):
    with pytest.raises(SetupError, match=r"pip could not install(.|\n)*nowhere\.whl"):
        ensure_environment(venv, [str(tmp_path / "nowhere.whl")], "three", lambda line: None)
    assert not (venv / STAMP_NAME).exists()


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    keepsake = tmp_path / "letter.txt"
    keepsake.write_text("Dear Mira", encoding="utf-8")
    with pytest.raises(SetupError, match=r"is not a virtual environment\. Name another folder with --venv"):
        create_venv(tmp_path, lambda line: None)
    assert keepsake.read_text(encoding="utf-8") == "Dear Mira"


def test_a_broken_environment_is_made_anew(tmp_path):
    folder = tmp_path / "venv"
    folder.mkdir()
    (folder / "pyvenv.cfg").write_text("home = /nowhere\n", encoding="utf-8")
    create_venv(folder, lambda line: None)
    assert run(folder, "import sys; print(sys.prefix)") == str(folder)


@pytest.mark.parametrize("change", ["content", "name", "new file", "bytes moved to the next file"])
def test_the_fingerprint_tells_every_change(tmp_path, change):
    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("one", encoding="utf-8")
    (package / "b.py").write_text("two", encoding="utf-8")
    before = fingerprint(tmp_path, ["package"])
    if change == "content":
        (package / "a.py").write_text("One", encoding="utf-8")
    elif change == "name":
        (package / "a.py").rename(package / "c.py")
    elif change == "new file":
        (package / "c.py").touch()
    else:
        (package / "a.py").write_text("on", encoding="utf-8")
        (package / "b.py").write_text("etwo", encoding="utf-8")
    assert fingerprint(tmp_path, ["package"]) != before


def test_the_fingerprint_is_the_same_for_the_same_files_and_blind_to_bytecode(tmp_path):
    (tmp_path / "a.py").write_text("one", encoding="utf-8")
    before = fingerprint(tmp_path, ["a.py", "."])
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    (cache / f"a.{sys.implementation.cache_tag}.pyc").touch()
    assert fingerprint(tmp_path, [".", "a.py"]) == before
