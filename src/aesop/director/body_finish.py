"""What is done to a decoded person before it is shown: nothing, our skeleton's bones, or bones and
calm and feet that stand. What is corrected is told.

Calm: unrest is taken out of people who move little. Each limb is smoothed until it is about as
restless as limbs of real people are who move as fast. What moves fast is left alone.
"""

import math
from dataclasses import astuple, dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.leg_reach import with_knees_forward
from aesop.director.standing_feet import stood
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion, grounded, pose_motion, shifted
from aesop.scene.rotation import geodesic_distance, slerp
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS


@dataclass(frozen=True)
class Smoothing:
    """Up to which speed of a limb so much smoothing may be done, and from which on none."""

    sigma_frames: float
    slow_mps: float
    fast_mps: float


SMOOTHINGS = (Smoothing(1.5, 0.8, 1.5), Smoothing(4.0, 0.15, 0.5))
# Mean jerk of limbs that rest, and what comes to it per m/s: medians of real performers in training
# (docs/director.md). Head and pelvis are calmer.
RESTING_MPS3, MOVING_MPS3 = 12.0, 100.0
CALMER = {"pelvis": 0.4, "neck": 0.5, "head": 0.5}
# Speed is read from places that are smoothed so, so that trembling is not taken for movement,
BASE_FRAMES = 2.0
# and a movement counts this long before and after it.
AROUND_FRAMES = 8
JERK_FRAMES = 6.0
# No turn and no place is smoothed away further than this: what is more is a movement.
LARGEST_TURN_DEGREES, LARGEST_MOVE_M = 5.0, 0.02

# One number a frame and joint, which stands for everything that hangs on the joint.
Activity = Float[np.ndarray, "frames joints"]


def calmed(motion: HumanMotion) -> HumanMotion:
    """The same motion without its unrest, in double precision."""
    motion = motion.to(torch.float64)
    speed = speed_around(motion.joints.numpy())
    calm = np.array([CALMER.get(name, 1.0) for name in JOINT])
    usual = calm * (RESTING_MPS3 + MOVING_MPS3 * speed)
    for how in SMOOTHINGS:
        excess = np.clip(1 - usual / np.maximum(jerk_around(motion.joints.numpy()), 1e-9), 0, 1)
        share = torch.from_numpy(excess * _slow_share(speed, how))
        turns, root = (_smoothed(it, how.sigma_frames) for it in (motion.rotations, motion.root))
        turns = _nearest_turns(turns)
        angle = torch.rad2deg(geodesic_distance(motion.rotations, turns))
        turn_share = _bounded(share, angle, LARGEST_TURN_DEGREES)
        root_share = _bounded(share[:, 0], (root - motion.root).norm(dim=-1), LARGEST_MOVE_M)
        turns = slerp(motion.rotations, turns, turn_share)
        motion = pose_motion(turns, torch.lerp(motion.root, root, root_share[:, None]))
    return motion


def _bounded(
    share: Float[Tensor, "frames ..."], change: Float[Tensor, "frames ..."], largest: float
) -> Float[Tensor, "frames ..."]:
    """All of a change up to `largest`, ever less of a larger one, nothing from twice that on."""
    return share * (2 - change / largest).clamp(0, 1)


def speed_around(joints: Float[np.ndarray, "frames 22 3"]) -> Activity:
    """How fast each joint carries what hangs on it: the fastest of it, for a while."""
    base = smoothed(joints.reshape(len(joints), -1), BASE_FRAMES).reshape(joints.shape)
    speed = np.linalg.norm(np.gradient(base, axis=0), axis=-1) * NATIVE_FPS
    padded = np.pad(_carried(speed), ((AROUND_FRAMES, AROUND_FRAMES), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND_FRAMES + 1, axis=0)
    return smoothed(windows.max(-1), AROUND_FRAMES / 3)


def jerk_around(joints: Float[np.ndarray, "frames 22 3"]) -> Activity:
    """How restless each joint carries what hangs on it, on average for a while."""
    jerk = np.linalg.norm(np.diff(joints, n=3, axis=0), axis=-1) * NATIVE_FPS**3
    return smoothed(_carried(np.pad(jerk, ((1, 2), (0, 0)), mode="edge")), JERK_FRAMES)


def _carried(values: Activity) -> Activity:
    """The most of everything that hangs on a joint. All hangs on the pelvis, which stands for
    itself: it says how the body as a whole moves."""
    most = values.copy()
    for joint in range(JOINTS - 1, 0, -1):
        if (parent := PARENTS[joint]) > 0:
            most[:, parent] = np.maximum(most[:, parent], most[:, joint])
    return most


def _slow_share(speed: Activity, how: Smoothing) -> Activity:
    """1 for what is slow, 0 for what is fast, without a corner between."""
    share = np.clip((how.fast_mps - speed) / (how.fast_mps - how.slow_mps), 0, 1)
    return share * share * (3 - 2 * share)


def _smoothed(values: Float[Tensor, "frames ..."], sigma: float) -> Float[Tensor, "frames ..."]:
    """Gaussian low-pass. Beyond both ends the curve goes on as its last frames do on average: what
    trembles most is the last frame itself."""
    rows = values.reshape(len(values), -1).numpy()
    ahead = min(math.ceil(3 * sigma), len(rows))
    longer = np.concatenate([_beyond(rows[::-1], ahead)[::-1], rows, _beyond(rows, ahead)])
    return torch.from_numpy(smoothed(longer, sigma)[ahead:-ahead]).reshape(values.shape)


def _beyond(
    rows: Float[np.ndarray, "frames width"], ahead: int
) -> Float[np.ndarray, "ahead width"]:
    """The straight line through the last frames, as many frames on."""
    last = rows[-ahead:]
    instants = np.arange(len(last)) - (len(last) - 1) / 2
    slope = instants @ last / max(float(instants @ instants), 1.0)
    return last.mean(0) + (instants[-1] + 1 + np.arange(ahead))[:, None] * slope


def _nearest_turns(matrices: Float[Tensor, "frames 22 3 3"]) -> Float[Tensor, "frames 22 3 3"]:
    """The turns nearest to averages of turns."""
    left, _, right = torch.linalg.svd(matrices)
    return left @ right


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

    @property
    def is_cut(self) -> bool:
        """Whether more is sampled than is asked for, and the end cut off."""
        return self.is_corrected

    @property
    def hears_plain(self) -> bool:
        """Whether some of the takes to choose from hear the words in plain terms."""
        return self.chooses_take


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
        changes = (
            (self.calm_m, "unrest smoothed: joints moved by up to"),
            (self.knee_m, "knees that bent the wrong way straightened: moved by up to"),
            (self.path_m, "feet that stand held: the path moved by up to"),
            (self.foot_m, "feet that stand held: a foot moved by up to"),
            (self.height_m, "kept on one floor: raised or lowered by up to"),
        )
        return [f"{what} {100 * far:.1f} cm" for far, what in changes if far > MOVED_M]


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
