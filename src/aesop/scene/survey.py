"""What AESOP sees in a clip, and whether it can film it."""

from dataclasses import dataclass

import torch

from aesop.errors import ClipError
from aesop.scene.human import MAX_FRAMES, Clip

SHORTEST_SECONDS = 1.0
# Faster than any sprinter: the file jumps, or its units or rate are wrong.
FASTEST_ROOT_MPS = 15.0
# Pelvis heights outside this range mean wrong units or a body that never stands on the ground.
PELVIS_HEIGHT_RANGE_M = (0.02, 5.0)


@dataclass(frozen=True)
class Survey:
    """Facts about a clip in units a person reads."""

    frames: int
    seconds: float
    fps: float
    low_m: tuple[float, float, float]
    high_m: tuple[float, float, float]
    travel_m: float
    fastest_mps: float
    turn_degrees: float
    windows: int


def survey(clip: Clip) -> Survey:
    """Measure a clip."""
    joints, root = clip.motion.joints.double(), clip.motion.root.double()
    steps = torch.linalg.vector_norm(root.diff(dim=0), dim=-1)
    low, high = joints.amin((0, 1)).tolist(), joints.amax((0, 1)).tolist()
    turn = torch.rad2deg(clip.motion.yaw.double()[-1] - clip.motion.yaw.double()[0])
    return Survey(
        frames=clip.frames,
        seconds=clip.seconds,
        fps=clip.fps,
        low_m=(low[0], low[1], low[2]),
        high_m=(high[0], high[1], high[2]),
        travel_m=float(steps.sum()),
        fastest_mps=float(steps.max() * clip.fps) if len(steps) else 0.0,
        turn_degrees=float(torch.remainder(turn + 180, 360) - 180),
        windows=-(-clip.frames // MAX_FRAMES),
    )


def require_filmable(clip: Clip) -> Survey:
    """The survey of a clip that can be filmed; a `ClipError` that says why not otherwise."""
    facts = survey(clip)
    if facts.seconds < SHORTEST_SECONDS:
        raise ClipError(
            f"{clip.name} has {facts.seconds:.2f} s of motion; "
            f"AESOP films {SHORTEST_SECONDS:g} s and more.",
            "Give a longer motion.",
        )
    if facts.fastest_mps > FASTEST_ROOT_MPS:
        raise ClipError(
            f"{clip.name} moves its hips at up to {facts.fastest_mps:.0f} m/s.",
            "Check the units (--units) and the frame rate (--fps), or mend the jump in the file.",
        )
    height = float(clip.motion.root[:, 2].double().median())
    if not PELVIS_HEIGHT_RANGE_M[0] <= height <= PELVIS_HEIGHT_RANGE_M[1]:
        raise ClipError(
            f"{clip.name} carries its hips {height:.2f} m above the ground.",
            "Check the up axis (--up) and the units (--units).",
        )
    return facts
