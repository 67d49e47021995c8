"""How long a reproduction takes, told before it begins.

Seconds on a GPU were measured on one H200 (`results/benchmarks/train_step_h200.json` and
`results/benchmarks/sampling_gpu_paper.json`), those of `tiny` on two CPU cores. What nobody trains
on a CPU, `paper` and `base`, is reckoned from the number of operations there.
"""

from typing import Literal

from aesop.models.phase_table import TrainingName, phase_of
from aesop.training.recipes import Recipe, Size

DeviceKind = Literal["cuda", "cpu"]

# Seconds of one update: human codec, camera codec, human flow, camera flow, flows with pairs.
_STEP_S: dict[tuple[Size, DeviceKind], tuple[float, float, float, float, float]] = {
    ("paper", "cuda"): (0.0020, 0.0011, 0.0153, 0.0198, 0.0309),
    ("base", "cuda"): (0.0047, 0.0039, 0.0089, 0.0131, 0.0126),
    ("tiny", "cuda"): (0.004, 0.004, 0.005, 0.005, 0.006),
    ("paper", "cpu"): (0.5, 0.4, 20.0, 25.0, 40.0),
    ("base", "cpu"): (1.0, 1.0, 5.0, 7.0, 6.0),
    ("tiny", "cpu"): (0.05, 0.04, 0.05, 0.06, 0.08),
}
# `--compile`, paper only: human flow, camera flow, flows with pairs.
_COMPILED_STEP_S = (0.0020, 0.0013, 0.0078, 0.0101, 0.0171)
# Seconds of one generated camera with the paper's fifty steps; a person costs about a third more.
_SHOT_S: dict[tuple[Size, DeviceKind], float] = {
    ("paper", "cuda"): 0.005,
    ("base", "cuda"): 0.002,
    ("tiny", "cuda"): 0.001,
    ("paper", "cpu"): 4.0,
    ("base", "cpu"): 0.6,
    ("tiny", "cpu"): 0.03,
}
_JUDGED_S = 0.012  # one shot by all metrics and their intervals, on one core
_PERSON_SHARE = 1.35
IMPORTED_CLIP_S = 0.01  # a clip of PulpMotion, by one worker
FABLES_S = 750.0  # the whole set, in CPU seconds
PAIRED_CLIP_S = 0.0014  # both funnels, by one worker
EVALUATOR_S: dict[DeviceKind, float] = {"cuda": 120.0, "cpu": 3600.0}
PICTURE_S = 8.0


def training_seconds(recipe: Recipe, device: DeviceKind, *, is_compiled: bool = False) -> float:
    """One phase to its end."""
    steps = _STEP_S[recipe.size, device]
    if is_compiled and device == "cuda" and recipe.size == "paper":
        steps = _COMPILED_STEP_S
    return recipe.schedule.steps * steps[_column(recipe.phase)]


def _column(name: TrainingName) -> int:
    phase = phase_of(name)
    if phase is None:
        return 3  # a baseline's step is a camera flow's, to its order of magnitude
    if phase.wants_pairs:
        return 4
    return ("human-codec", "camera-codec", "human-flow", "camera-flow").index(phase.trains)


def measuring_seconds(size: Size, device: DeviceKind, shots: int, *, has_people: bool) -> float:
    """So many generated shots, judged."""
    made = _SHOT_S[size, device] * (_PERSON_SHARE if has_people else 1.0)
    return shots * (made + _JUDGED_S)


def in_words(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
