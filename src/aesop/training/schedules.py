"""Learning rate by step: a pure function, so that a resumed run needs no scheduler state."""

import math
from typing import assert_never

from aesop.training.recipes import Constant, Cosine, Schedule, StepDown


def learning_rate(schedule: Schedule, step: int) -> float:
    """Rate of update `step` (the first is 0): linear warm-up, then the schedule's decay."""
    rate = schedule.learning_rate
    if step < schedule.warm_up_steps:
        return rate * (step + 1) / schedule.warm_up_steps
    match schedule.decay:
        case Constant():
            return rate
        case Cosine(floor):
            after = step - schedule.warm_up_steps
            share = after / max(schedule.steps - 1 - schedule.warm_up_steps, 1)
            return floor + (rate - floor) * 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
        case StepDown(at_step, factor):
            return rate * factor if step >= at_step else rate
        case _:
            assert_never(schedule.decay)
