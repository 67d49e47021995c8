"""Counting tries: a source is lost where no try on one of its sides gets through."""

from collections.abc import Callable

import numpy as np

from aesop.pairs.funnel import GateCount, Stage, lost_examples
from aesop.pairs.intensity_gates import DECODED_PATH
from aesop.pairs.intensity_task import Tries
from aesop.pairs.scaling import SIDES


def source_stage(tries: Tries, name_of: Callable[[int], str], salt: str) -> Stage:
    """Sources that lose a side at every gate. After gates 1 … k a source is alive if each side has
    a try that passes all of them; alone, if each side has a try that passes gate k.

    Tries that were not made come after an accepted one, and could change neither count.
    """
    alive = np.ones(len(tries.rows), np.bool_)
    still = tries.tried.copy()
    gates: list[GateCount] = []
    for at, gate in enumerate(tries.gates):
        passed = tries.passed[..., at] & tries.tried
        alone = passed.any(axis=-1).all(axis=-1)
        still &= passed
        now = still.any(axis=-1).all(axis=-1)
        lost = alive & ~now
        if gate == DECODED_PATH:
            alone = ~lost  # only what passed the physical gates was decoded
        examples = lost_examples(np.flatnonzero(lost), name_of, salt)
        gates.append(GateCount(gate, int(lost.sum()), int((~alone).sum()), None, examples))
        alive = now
    return Stage("target", len(tries.rows), int(alive.sum()), tuple(gates))


def try_stages(tries: Tries) -> tuple[Stage, ...]:
    """Tries themselves, on each side: how many labels every gate turns down."""
    stages: list[Stage] = []
    for side in range(len(SIDES)):
        alive = tries.tried[:, side].copy()
        gates: list[GateCount] = []
        for at, gate in enumerate(tries.gates):
            passed = tries.passed[:, side, :, at]
            reached = alive if gate == DECODED_PATH else tries.tried[:, side]
            lost, alone = alive & ~passed, reached & ~passed
            gates.append(GateCount(gate, int(lost.sum()), int(alone.sum()), None, ()))
            alive &= passed
        stages.append(
            Stage("tries", int(tries.tried[:, side].sum()), int(alive.sum()), tuple(gates))
        )
    return tuple(stages)
