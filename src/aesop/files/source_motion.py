"""A foreign body in motion, in its own axes and units, and what it has in common with ours."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.skeleton_names import BodyMap
from aesop.scene.skeleton import JOINT

# The bones whose directions we keep, as (upper joint, lower joint), upper limbs first.
LIMBS = tuple(
    (JOINT[f"{side}_{upper}"], JOINT[f"{side}_{lower}"])
    for upper, lower in (
        ("hip", "knee"),
        ("knee", "ankle"),
        ("ankle", "foot"),
        ("shoulder", "elbow"),
        ("elbow", "wrist"),
    )
    for side in ("left", "right")
)

# Least cosines by which a pose counts as standing: legs along the body, arms stretched and not
# through it, hips and shoulders level and facing the same way.
STRAIGHT_LEG, STRAIGHT_ARM, OUTWARD_ARM, LEVEL = 0.7, 0.3, -0.3, 0.5
# Least cosine by which an arm counts as stretched out sideways.
T_POSE_ARM = 0.9


@dataclass(frozen=True, eq=False)
class SourceMotion:
    """World turns and places of the joints that a `BodyMap` points into."""

    world_from_joint: Float[Tensor, "frames source_joints 3 3"]
    places: Float[Tensor, "frames source_joints 3"]

    @property
    def frames(self) -> int:
        return self.places.shape[0]

    def cut(self, start: int, stop: int) -> "SourceMotion":
        """Frames start … stop−1."""
        return SourceMotion(self.world_from_joint[start:stop], self.places[start:stop])

    def bone(self, body: BodyMap, upper: str, lower: str) -> Float[Tensor, "frames 3"]:
        """Vector between the counterparts of two of our joints."""
        return self.places[:, body.index(lower)] - self.places[:, body.index(upper)]

    def since(self, pose: "SourceMotion", joint: int) -> Float[Tensor, "frames 3 3"]:
        """How a joint has turned in the world since a pose of one frame."""
        return self.world_from_joint[:, joint] @ pose.world_from_joint[0, joint].T


def limb_directions(
    motion: SourceMotion, body: BodyMap
) -> dict[tuple[int, int], Float[Tensor, "frames 3"]]:
    """Unit directions of the limbs. A foot without toes has none and is left out."""
    found: dict[tuple[int, int], Tensor] = {}
    for upper, lower in LIMBS:
        above, below = body.joints[upper], body.joints[lower]
        if above is not None and below is not None:
            bone = motion.places[:, below] - motion.places[:, above]
            found[upper, lower] = normalize(bone, dim=-1)
    return found


def trunk_direction(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "frames 3"]:
    """From the pelvis to the root of the neck, or to the head where they are one joint."""
    pelvis, neck = body.index("pelvis"), body.joints[JOINT["neck"]]
    top = body.trunk[-1] if neck is None else neck
    top = body.index("head") if top == pelvis else top
    return normalize(motion.places[:, top] - motion.places[:, pelvis], dim=-1)


def stands(motion: SourceMotion, body: BodyMap) -> Bool[Tensor, " frames"]:
    """Frames in which a body stands as people are put into rest poses: legs down, arms anywhere
    from hanging to level. The rest poses of many files are such that no body could take them."""
    up = trunk_direction(motion, body)
    left, shoulders = _across(motion, body, "hip"), _across(motion, body, "shoulder")
    good = (_dot(left, up).abs() < LEVEL) & (_dot(left, shoulders) > LEVEL)
    for side, outward in (("left", left), ("right", -left)):
        thigh, shin, arm, forearm = _limbs(motion, body, side)
        good &= (_dot(thigh, up) < -STRAIGHT_LEG) & (_dot(shin, up) < -STRAIGHT_LEG)
        good &= (_dot(arm, outward) > OUTWARD_ARM) & (_dot(arm, forearm) > STRAIGHT_ARM)
    return good


def uprightness(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "3"]:
    """How much a body stands along each axis, on average: 1 if trunk, thighs and shins all do.

    Trunk and shins alone would not tell a walk from a crawl.
    """
    limbs = [_limbs(motion, body, side)[:2] for side in ("left", "right")]
    legs = torch.stack([bone for side in limbs for bone in side]).mean(0)
    return ((trunk_direction(motion, body) - 2 * legs) / 3).mean(0)


def is_t_pose(motion: SourceMotion, body: BodyMap) -> Bool[Tensor, " frames"]:
    """Frames in which a body stands with both arms stretched out sideways."""
    level = stands(motion, body)
    left = _across(motion, body, "hip")
    for side, outward in (("left", left), ("right", -left)):
        _, _, arm, forearm = _limbs(motion, body, side)
        level &= (_dot(arm, outward) > T_POSE_ARM) & (_dot(forearm, outward) > T_POSE_ARM)
    return level


def nearest_to_t_pose(motion: SourceMotion, body: BodyMap) -> int:
    """The frame with the straightest legs, the most level arms and the least twisted body."""
    up, left = trunk_direction(motion, body), _across(motion, body, "hip")
    score = _dot(left, _across(motion, body, "shoulder"))
    for side, outward in (("left", left), ("right", -left)):
        thigh, shin, arm, forearm = _limbs(motion, body, side)
        score = score - _dot(thigh + shin, up) + _dot(arm + forearm, outward)
    return int(score.argmax())


def _across(motion: SourceMotion, body: BodyMap, line: str) -> Float[Tensor, "frames 3"]:
    """Unit vector from right to left through hips or shoulders."""
    return normalize(motion.bone(body, f"right_{line}", f"left_{line}"), dim=-1)


def _limbs(motion: SourceMotion, body: BodyMap, side: str) -> list[Float[Tensor, "frames 3"]]:
    """Unit directions of thigh, shin, upper arm and forearm."""
    bones = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
    return [
        normalize(motion.bone(body, f"{side}_{upper}", f"{side}_{lower}"), dim=-1)
        for upper, lower in bones
    ]


def _dot(
    first: Float[Tensor, "frames 3"], second: Float[Tensor, "frames 3"]
) -> Float[Tensor, " frames"]:
    return (first * second).sum(-1)
