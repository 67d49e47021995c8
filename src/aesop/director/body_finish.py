"""What is done to a decoded person before it is shown: nothing, our skeleton's bones, or bones and
calm and feet that stand. What is corrected is told."""

from dataclasses import astuple, dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.calm_body import calmed
from aesop.director.leg_reach import with_knees_forward
from aesop.director.standing_feet import stood
from aesop.scene.human import HumanMotion, grounded, pose_motion, shifted

# as-decoded: the first take with the joints where the codec places them; the paper's protocol.
# as-sampled: the first take with our skeleton's bones, on the ground.
# standing: the same, with feet that stand, calm where it is still, on one floor.
# best-take: the take of several that fits its words best, finished so.
PersonFinish = Literal["as-decoded", "as-sampled", "standing", "best-take"]

# Somebody of whom nothing is moved further than this is right as sampled, and shown so.
MOVED_M = 0.001


@dataclass(frozen=True)
class BodyFinishing:
    """What a finish of people consists of."""

    is_posed: bool
    is_corrected: bool
    chooses_take: bool


BODY_FINISHINGS: dict[PersonFinish, BodyFinishing] = {
    "as-decoded": BodyFinishing(is_posed=False, is_corrected=False, chooses_take=False),
    "as-sampled": BodyFinishing(is_posed=True, is_corrected=False, chooses_take=False),
    "standing": BodyFinishing(is_posed=True, is_corrected=True, chooses_take=False),
    "best-take": BodyFinishing(is_posed=True, is_corrected=True, chooses_take=True),
}


@dataclass(frozen=True)
class BodyChange:
    """How far somebody was moved at most by each thing that was corrected."""

    calm_m: float = 0.0  # a joint, by smoothing
    knee_m: float = 0.0  # a joint, by straightening knees that bent the wrong way
    path_m: float = 0.0  # the body along the ground
    height_m: float = 0.0  # the body up or down
    foot_m: float = 0.0  # a foot besides

    @property
    def notes(self) -> list[str]:
        """As one would say it; what nobody can see is not told."""
        told = (
            (self.calm_m, "unrest smoothed: joints moved by up to"),
            (self.knee_m, "knees that bent the wrong way straightened: moved by up to"),
            (self.path_m, "feet that stand held: the path moved by up to"),
            (self.foot_m, "feet that stand held: a foot moved by up to"),
            (self.height_m, "kept on one floor: raised or lowered by up to"),
        )
        return [f"{what} {100 * far:.1f} cm" for far, what in told if far > MOVED_M]


UNCHANGED = BodyChange()


def corrected(motion: HumanMotion) -> tuple[HumanMotion, BodyChange]:
    """Somebody as shown, and how far that is from the motion given. Where nothing is wrong, the
    motion itself comes back."""
    calm = calmed(motion)
    jointed = pose_motion(with_knees_forward(calm.rotations), calm.root)
    footing = stood(jointed)
    start = footing.motion.root[0] - motion.root[0].double()
    start[2] = 0.0
    shown = grounded(shifted(footing.motion, -start).to(motion.joints.dtype))
    change = BodyChange(
        calm_m=_farthest(calm.joints - motion.joints.double()),
        knee_m=_farthest(jointed.joints - calm.joints),
        path_m=_farthest(torch.from_numpy(footing.path[:, :2])),
        height_m=_farthest((shown.root - motion.root)[:, 2:] - (calm.root - motion.root)[:, 2:]),
        foot_m=_farthest(torch.from_numpy(footing.feet)),
    )
    if max(astuple(change)) <= MOVED_M:
        return motion, UNCHANGED
    return shown, change


def _farthest(moves: Float[Tensor, "frames ..."]) -> float:
    return float(torch.linalg.vector_norm(moves, dim=-1).max())


def pose_change_m(was: HumanMotion, now: HumanMotion) -> float:
    """Mean distance of the joints of two motions, each seen from its own pelvis."""
    around = (it.joints - it.root[:, None] for it in (was, now))
    first, second = around
    return float(torch.linalg.vector_norm(first - second, dim=-1).mean())
