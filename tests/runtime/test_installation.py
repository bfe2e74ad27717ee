import pytest

from runtime.installation import installation_warning


@pytest.fixture
def environment(tmp_path):
    """Makes a folder in which packages of these names count as installed."""

    def install(*names):
        for name in names:
            info = tmp_path / f"{name.replace('-', '_')}-1.32.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.32.0\n", encoding="utf-8")
        return [str(tmp_path)]

    return install


def test_both_packages_at_once_are_told_with_the_cure(environment):
    warning = installation_warning(environment("onnxruntime", "onnxruntime-gpu"))
    assert "onnxruntime and onnxruntime-gpu are both installed" in warning
    assert "pip uninstall" in warning


@pytest.mark.parametrize("name", ["onnxruntime", "onnxruntime-gpu"])
def test_one_of_them_alone_is_well(environment, name):
    assert installation_warning(environment(name, "numpy")) is None


def test_the_environment_of_these_tests_has_one():
    assert installation_warning() is None
