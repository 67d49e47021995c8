"""Whether a body moves as bodies do: feet that stand, bones that keep their length; how far two
motions are apart."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from aesop.scene.human import HumanMotion
from aesop.scene.shot import ground
from aesop.scene.skeleton import JOINT, PARENTS

# A foot this low should stand; real toes swing 3 to 8 cm above the ground.
LOW_M = 0.03
# A low foot that goes faster than this slides.
SLIDING_MPS = 0.3
_TOES = [JOINT["left_foot"], JOINT["right_foot"]]
_FEET = [*_TOES, JOINT["left_ankle"], JOINT["right_ankle"]]


@dataclass(frozen=True)
class BodyFacts:
    """One motion. Shares are of its frames; NaN where no foot is ever low, or it is too short."""

    slide_mps: float  # mean speed along the ground of low toes
    sliding_share: float  # of the transitions with a low toe: it goes faster than SLIDING_MPS
    jerk_mps3: float  # mean third derivative of the joints' places
    float_m: float  # mean height of the lower toe over the lowest it ever is
    bone_spread: float  # largest relative change of a bone's length


def body_facts(motion: HumanMotion, fps: float) -> BodyFacts:
    """Facts of one motion that stands on the ground at z = 0."""
    joints = motion.joints.double()
    toes = joints[:, _TOES]
    low = (toes[:-1, :, 2] < LOW_M) & (toes[1:, :, 2] < LOW_M)
    speed = torch.linalg.vector_norm(ground(toes).diff(dim=0), dim=-1) * fps
    jerk = joints.diff(n=3, dim=0).norm(dim=-1) * fps**3
    lower = joints[:, _FEET, 2].amin(-1)
    bones = torch.linalg.vector_norm(joints[:, 1:] - joints[:, list(PARENTS[1:])], dim=-1)
    return BodyFacts(
        slide_mps=_mean(speed[low]),
        sliding_share=_mean((speed[low] > SLIDING_MPS).double()),
        jerk_mps3=_mean(jerk),
        float_m=float((lower - lower.min()).mean()),
        bone_spread=float(((bones.amax(0) - bones.amin(0)) / bones.mean(0)).max()),
    )


def _mean(values: Tensor) -> float:
    return float(values.mean()) if values.numel() else float("nan")


def motion_errors(reference: HumanMotion, generated: HumanMotion) -> dict[str, float]:
    """How far a motion is from its reference, in the world that both are in: metres, means over
    frames, by the names of METRICS. Aligned: root translation removed, heading kept."""
    wanted, made = reference.joints.double().numpy(), generated.joints.double().numpy()
    aligned = (made - made[:, :1]) - (wanted - wanted[:, :1])
    root = np.linalg.norm(made[:, 0] - wanted[:, 0], axis=-1)
    return {
        "global_mpjpe": float(np.linalg.norm(made - wanted, axis=-1).mean()),
        "aligned_mpjpe": float(np.linalg.norm(aligned, axis=-1).mean()),
        "root_ade": float(root.mean()),
        "root_fde": float(root[-1]),
    }


def foot_slide_m_s(motion: HumanMotion, fps: float) -> float:
    """Mean speed along the ground of toes that stand on it before and after a transition; NaN if
    none ever does."""
    toes = motion.joints[:, _TOES].double()
    low = (toes[..., 2] < LOW_M).numpy()
    stands = low[:-1] & low[1:]
    speed = np.linalg.norm(ground(toes).diff(dim=0).numpy(), axis=-1) * fps
    return float(speed[stands].mean()) if stands.any() else float("nan")
