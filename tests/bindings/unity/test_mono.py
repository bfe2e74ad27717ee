"""The compiler is as strict as the tests of the package rely on."""

import pytest

from tools.environment import SetupError


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("public class A { }", "Missing XML comment"),
        ("/** <summary>A.</summary> */ public class A { int unused; }", "never used"),
        ("/** <summary>A.</summary> */ public class A { string text = 5; }", "Cannot implicitly convert"),
    ],
)
def test_what_is_not_clean_does_not_compile(mono, tmp_path, source, complaint):
    file = tmp_path / "a.cs"
    file.write_text(source, encoding="utf-8")
    with pytest.raises(SetupError, match=complaint):
        mono.compile([file], tmp_path / "a.dll", documented=True)
