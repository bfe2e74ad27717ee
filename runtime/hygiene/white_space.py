"""One line of text: no line breaks, one space between words."""


def on_one_line(text: str) -> str:
    """Every run of white space, line breaks included, as one space; none at the ends."""
    return " ".join(text.split())
