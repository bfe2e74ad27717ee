"""The few numbers that scores of texts are turned into decisions with; `python -m tools.eval.choices --fit` finds them.

They hold for the model that ships with Palaver. Another one ranks as well with them, but its probabilities may be too
sure of themselves or not sure enough.
"""

from runtime.choice_scoring import NoisePattern

PATTERNS = (NoisePattern(1.0, seed=0), NoisePattern(0.5, seed=1))
"""Noise under which answers and actions are scored: as before the first step, and as in the middle."""

UNASKED_TEXT = "..."
"""What the player says where the question is left out, to learn how probable an answer is anyway."""

UNASKED_WEIGHT = 0.25
"""Share of that which is taken off an answer's score."""

CHOICE_TEMPERATURE = 0.376
"""Nats by which the score of one answer has to exceed another's to be e times as likely."""

ACTION_MARGIN = -2.45
"""Nats by which the best call has to exceed the line's plain end."""
