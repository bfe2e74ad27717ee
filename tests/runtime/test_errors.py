import pytest

from runtime.errors import BundleError, ModelError, PalaverError, RequestError


def test_text_is_message_and_hint_in_one_line():
    error = RequestError("seed is -1,\n  out of range.", "Give 0 to 9.")
    assert str(error) == "seed is -1, out of range. Give 0 to 9"
    assert (error.message, error.hint) == ("seed is -1, out of range", "Give 0 to 9")


def test_text_without_a_hint_is_the_message():
    assert str(PalaverError("it broke")) == "it broke"


@pytest.mark.parametrize(
    ("kind", "code"),
    [(PalaverError, "error"), (BundleError, "bad-bundle"), (RequestError, "bad-request"), (ModelError, "model-failed")],
)
def test_each_kind_has_a_code_that_one_error_may_replace(kind, code):
    assert kind("message").code == code
    assert kind("message", code="special-case").code == "special-case"
    assert issubclass(kind, PalaverError)
