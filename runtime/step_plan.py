"""How many denoising steps a canvas gets: known before the first, because the temperature schedule runs over them."""

FEWEST_SHARED_STEPS = 4
"""Fewer steps hardly ever give a line that may be said: sharing time more finely would leave nobody one."""


def steps_in_time(most: int, step_s: float, *, shared_s: float, alone_s: float) -> int:
    """Steps to plan, 1 to `most`.

    Args:
        most: steps that were asked for.
        step_s: seconds that pass for each step, waits for the frame budget included.
        shared_s: seconds of this job's fair share.
        alone_s: seconds until its deadline; infinite without one.
    """
    # Nothing is known of a cost of 0, and nothing has to be planned without a deadline, however slow a step is.
    if step_s == 0.0 or alone_s == float("inf"):
        return most
    shared, alone = int(shared_s / step_s), int(alone_s / step_s)
    return max(1, min(most, max(shared, min(alone, FEWEST_SHARED_STEPS))))
