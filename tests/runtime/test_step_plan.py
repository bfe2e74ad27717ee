import math

import pytest

from runtime.step_plan import FEWEST_SHARED_STEPS, steps_in_time


@pytest.mark.parametrize(
    ("step_s", "shared_s", "alone_s", "steps"),
    [
        (0.1, 1.05, 1.05, 10),
        (0.1, 9.0, 9.0, 48),
        (0.1, 0.65, 2.0, 6),
        (0.1, 0.15, 2.0, FEWEST_SHARED_STEPS),
        (0.1, 0.15, 0.25, 2),
        (0.1, 0.01, 0.01, 1),
        (math.inf, 1.0, 1.0, 1),
        (0.0, 1.0, 1.0, 48),
        (0.1, math.inf, math.inf, 48),
        (math.inf, math.inf, math.inf, 48),
    ],
)
def test_steps_fill_the_share_but_not_less_than_a_few_where_the_deadline_allows(step_s, shared_s, alone_s, steps):
    assert steps_in_time(48, step_s, shared_s=shared_s, alone_s=alone_s) == steps


def test_fewer_were_asked_for():
    assert steps_in_time(2, 0.1, shared_s=9.0, alone_s=9.0) == 2
