"""Which part of which foot stands on the ground, and when: low over the floor around it, slow, and
under a body that it can carry."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.director.leg_reach import LEGS
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.skeleton import JOINT_NAMES

# A part stands that is this low over the floor around it, and stays so until it is higher.
LOW_M, HIGH_M = 0.05, 0.08
# It goes no faster than this, and stays so until it is faster. Somebody who travels may slide
# faster: a foot that swings is faster than the body, one that should stand is slower.
SLOW_MPS, FAST_MPS = 0.35, 0.6
SLOW_OF_BODY, FAST_OF_BODY = 0.45, 0.6
RISING_MPS = 0.5
SHORTEST_FRAMES = 3
# The ends of a stretch are cut off where it is this much faster than in its middle.
UNEVEN, UNEVEN_MPS = 1.6, 0.12
# Low feet of which none stands for so long glide, and one of them should stand;
GLIDE_FRAMES = 5
# but a body that is faster than this flies from foot to foot.
RUN_MPS = 1.8
# Kneeling, crawling, lying: feet carry nobody whose knee is lower than this.
KNEE_M = 0.22
# The floor around a frame is the lowest that the body is for so long.
FLOOR_FRAMES = 30
# An ankle is so far above the toes of the same foot when it stands flat.
ANKLE_M = 0.052
BODY_FRAMES = 4.0  # the body's own speed is smoothed so

# Joints lie inside the body: so far above what it rests on. Toes are where the ground is set.
_FLESH_M = {
    "foot": 0.0, "ankle": 0.04, "knee": 0.04, "wrist": 0.02, "elbow": 0.03, "shoulder": 0.06,
}  # fmt: skip
_TRUNK_M = 0.08
_FLESH_OF_JOINT = np.array([_FLESH_M.get(name.split("_")[-1], _TRUNK_M) for name in JOINT_NAMES])

# Ankle and toe of the left and the right foot.
POINTS = [[leg.ankle, leg.toe] for leg in LEGS]
_KNEES = [leg.knee for leg in LEGS]

Curve = Float[np.ndarray, " frames"]
OfPart = Float[np.ndarray, "frames 2 2"]  # foot, then ankle and toe
FootParts = Bool[np.ndarray, "frames 2 2"]


@dataclass(frozen=True)
class Stretch:
    """A part of a foot (0 the ankle, 1 the toes) that stands from frame `first` to `stop` − 1."""

    foot: int
    part: int
    first: int
    stop: int


def velocity_of(values: Float[np.ndarray, "frames ..."]) -> Float[np.ndarray, "frames ..."]:
    """Per second, in the middle of the frames around."""
    return np.gradient(values, axis=0) * NATIVE_FPS


def floor_height(motion: HumanMotion) -> Curve:
    """Height of what carries the body: the lowest part of it for a while around every frame."""
    lowest = (motion.joints[..., 2].double().numpy() - _FLESH_OF_JOINT).min(-1)
    half = FLOOR_FRAMES // 2
    padded = np.pad(lowest, half, mode="edge")
    envelope = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)
    return smoothed(envelope[:, None], half / 2)[:, 0]


def standing(motion: HumanMotion) -> list[Stretch]:
    """Which parts of the feet stand when."""
    joints = motion.joints.double().numpy()
    points, floor = joints[:, POINTS], floor_height(motion)[:, None, None]
    heights = points[..., 2] - floor - np.array([ANKLE_M, 0.0])
    velocity = velocity_of(points)
    speed = np.linalg.norm(velocity[..., :2], axis=-1)
    of_root = smoothed(velocity_of(joints[:, 0])[:, :2], BODY_FRAMES)
    body = np.linalg.norm(of_root, axis=-1)[:, None, None]
    is_upright = joints[:, _KNEES, 2] - floor[:, :, 0] > KNEE_M
    carries = is_upright[..., None] & (np.abs(velocity[..., 2]) < RISING_MPS)
    low = carries & (heights < LOW_M)
    sure = low & (speed < np.maximum(SLOW_MPS, SLOW_OF_BODY * body))
    maybe = carries & (heights < HIGH_M) & (speed < np.maximum(FAST_MPS, FAST_OF_BODY * body))
    found = _stretches(sure, maybe, speed)
    gliding = low & (body < RUN_MPS) & _unsupported(found, speed)
    return found + _stretches(gliding, gliding, speed)


def _stretches(sure: FootParts, maybe: FootParts, speed: OfPart) -> list[Stretch]:
    """Stretches that may stand and somewhere surely do."""
    found: list[Stretch] = []
    for foot, part in np.ndindex(2, 2):
        for first, stop in true_runs(maybe[:, foot, part]):
            if sure[first:stop, foot, part].any():
                at = _even(speed[:, foot, part], first, stop)
                if at[1] - at[0] >= SHORTEST_FRAMES:
                    found.append(Stretch(foot, part, *at))
    return found


def true_runs(mask: Bool[np.ndarray, " frames"]) -> list[tuple[int, int]]:
    """Where a mask is true: first frames, and the frames after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _even(speed: Curve, first: int, stop: int) -> tuple[int, int]:
    """Without frames at the ends in which the foot still comes or already goes."""
    limit = UNEVEN * float(np.median(speed[first:stop])) + UNEVEN_MPS
    while stop > first and speed[first] > limit:
        first += 1
    while stop > first and speed[stop - 1] > limit:
        stop -= 1
    return first, stop


def _unsupported(found: list[Stretch], speed: OfPart) -> FootParts:
    """The slower foot wherever neither stands for long: nobody glides, and this one is likelier to
    carry."""
    stands = np.zeros(len(speed), dtype=bool)
    for it in found:
        stands[it.first : it.stop] = True
    lasting = np.zeros(len(speed), dtype=bool)
    for first, stop in true_runs(~stands):
        lasting[first:stop] = stop - first >= GLIDE_FRAMES
    slower = smoothed(speed.min(-1), 2.0)
    is_slower = np.stack([slower[:, 0] <= slower[:, 1], slower[:, 0] > slower[:, 1]], axis=1)
    return (lasting[:, None] & is_slower)[..., None].repeat(2, axis=2)
