"""Human motions: how far two are apart, and whether feet stay where they stand."""

from dataclasses import dataclass

import numpy as np

from aesop.scene.human import HumanMotion
from aesop.scene.placement import ground
from aesop.scene.skeleton import JOINT

# Toes this low stand on the ground; walking toes swing 3 to 8 cm above it.
STANDING_M = 0.03
_TOES = [JOINT["left_foot"], JOINT["right_foot"]]


@dataclass(frozen=True)
class MotionErrors:
    """Means over the frames of one clip, metres."""

    global_mpjpe_m: float
    aligned_mpjpe_m: float  # root translation removed, heading kept
    root_ade_m: float
    root_fde_m: float


def motion_errors(reference: HumanMotion, generated: HumanMotion) -> MotionErrors:
    """How far a motion is from its reference, in the world that both are in."""
    wanted, made = reference.joints.double().numpy(), generated.joints.double().numpy()
    aligned = (made - made[:, :1]) - (wanted - wanted[:, :1])
    root = np.linalg.norm(made[:, 0] - wanted[:, 0], axis=-1)
    return MotionErrors(
        global_mpjpe_m=float(np.linalg.norm(made - wanted, axis=-1).mean()),
        aligned_mpjpe_m=float(np.linalg.norm(aligned, axis=-1).mean()),
        root_ade_m=float(root.mean()),
        root_fde_m=float(root[-1]),
    )


def foot_slide_m_s(motion: HumanMotion, fps: float) -> float:
    """Mean speed along the ground of toes that stand on it before and after a transition; NaN if
    none ever does."""
    toes = motion.joints[:, _TOES].double()
    low = (toes[..., 2] < STANDING_M).numpy()
    stands = low[:-1] & low[1:]
    speed = np.linalg.norm(ground(toes).diff(dim=0).numpy(), axis=-1) * fps
    return float(speed[stands].mean()) if stands.any() else float("nan")
