import pytest

from runtime.chat_template import ChatTemplate
from runtime.errors import BundleError, RequestError

TALK = [("system", "You are Mira."), ("user", "Hi")]


def render(template, messages=TALK):
    return ChatTemplate(template, "<bos>", "<eos>").render(messages)


def test_it_sees_what_transformers_gives_it():
    template = "{{ bos_token }}|{{ eos_token }}|{{ enable_thinking }}|{{ add_generation_prompt }}|{{ tools }}"
    assert render(template) == "<bos>|<eos>|False|True|"


def test_blocks_trim_their_lines_and_loops_may_break():
    template = (
        "{% for m in messages %}\n  {% if m.role == 'user' %}{% break %}{% endif %}\n{{ m.role }}\n{% endfor %}\n"
    )
    assert render(template).strip() == "system"


def test_what_is_said_is_a_value_and_no_template():
    assert render("{{ messages[1].content }}", [TALK[0], ("user", "{{ 7 * 6 }}{% raw %}")]) == "{{ 7 * 6 }}{% raw %}"


def test_it_may_refuse_a_conversation():
    template = "{% if messages | length > 2 %}{{ raise_exception('one turn only') }}{% endif %}ok"
    assert render(template) == "ok"
    with pytest.raises(RequestError, match="refuses this conversation: one turn only"):
        render(template, [*TALK, ("assistant", "Aye.")])


def test_broken_syntax_is_found_when_the_bundle_is_loaded():
    with pytest.raises(BundleError, match=r"chat_template\.jinja fails"):
        ChatTemplate("{% for m in messages %}", "<bos>", "<eos>")


@pytest.mark.parametrize(
    "template",
    ["{{ undefined.attribute }}", "{{ 1 / 0 }}", "{{ messages.__class__.__mro__ }}", "{{ messages.append(1) }}"],
    ids=["undefined", "arithmetic", "escape", "mutation"],
)
def test_whatever_it_does_wrong_is_an_error_of_the_bundle(template):
    with pytest.raises(BundleError, match=r"chat_template\.jinja fails"):
        render(template)
