"""The anchor: one pose in which we know how our body would stand if it were the source's.

From there on every joint of ours turns as its counterpart turns, so two skeletons never need equal
rest poses or equal joint axes.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.skeleton_names import BodyMap
from aesop.scene.rotation import slerp, swing
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS, bone_length, rest_offsets

# The bones whose directions we keep exactly, as (upper joint, lower joint), upper limbs first.
LIMBS = tuple(
    (JOINT[f"{side}_{upper}"], JOINT[f"{side}_{lower}"])
    for upper, lower in (
        ("hip", "knee"), ("knee", "ankle"), ("ankle", "foot"), ("shoulder", "elbow"),
        ("elbow", "wrist"),
    )
    for side in ("left", "right")
)  # fmt: skip

# A standing anchor this near to an axis of its file is upright: its trunk leans only because its
# hips and neck are placed differently from ours.
UPRIGHT_WITHIN_DEGREES = 25.0
# Least cosines by which a pose counts as standing: legs down the body, arms not through it.
STRAIGHT_LEG, STRAIGHT_ARM, LEVEL = 0.7, 0.3, 0.5


@dataclass(frozen=True, eq=False)
class SourceMotion:
    """A foreign body in its own axes and units."""

    world_from_joint: Float[Tensor, "frames source_joints 3 3"]
    places: Float[Tensor, "frames source_joints 3"]

    def place(self, body: BodyMap, name: str) -> Float[Tensor, "frames 3"]:
        """Path of the counterpart of one of our joints."""
        return self.places[:, body.index(name)]

    def bone(self, body: BodyMap, upper: str, lower: str) -> Float[Tensor, "frames 3"]:
        """Vector between the counterparts of two of our joints."""
        return self.place(body, lower) - self.place(body, upper)

    def since(self, anchor: "SourceMotion", joint: int) -> Float[Tensor, "frames 3 3"]:
        """How a joint has turned in the world since a pose of one frame."""
        return self.world_from_joint[:, joint] @ anchor.world_from_joint[0, joint].T


@dataclass(frozen=True, eq=False)
class Anchor:
    """One frame of the source. `stands` says that it is a pose made for calibration, to be taken
    as upright, and not a moment of the motion, which may lean."""

    pose: SourceMotion
    stands: bool


def limb_directions(
    motion: SourceMotion, body: BodyMap
) -> dict[tuple[int, int], Float[Tensor, "frames 3"]]:
    """Unit directions of the source's limbs. A foot without toes has none and is left out."""
    found: dict[tuple[int, int], Tensor] = {}
    for upper, lower in LIMBS:
        above, below = body.joints[upper], body.joints[lower]
        if above is not None and below is not None:
            found[upper, lower] = normalize(motion.places[:, below] - motion.places[:, above])
    return found


def trunk_direction(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "frames 3"]:
    """From the pelvis to the root of the neck."""
    pelvis, neck = body.index("pelvis"), body.joints[JOINT["neck"]]
    top = body.trunk[-1] if neck is None else neck
    top = body.index("head") if top == pelvis else top
    return normalize(motion.places[:, top] - motion.places[:, pelvis])


def stands(motion: SourceMotion, body: BodyMap) -> Bool[Tensor, " frames"]:
    """Frames in which a body stands as people are put into rest poses: legs down, arms anywhere
    from hanging to level. Many files have rest poses that no body could take."""
    up = trunk_direction(motion, body)
    left = normalize(motion.bone(body, "right_hip", "left_hip"))
    shoulders = normalize(motion.bone(body, "right_shoulder", "left_shoulder"))
    good = (_dot(left, up).abs() < LEVEL) & (_dot(left, shoulders) > LEVEL)
    for side, outward in (("left", left), ("right", -left)):
        thigh = normalize(motion.bone(body, f"{side}_hip", f"{side}_knee"))
        shin = normalize(motion.bone(body, f"{side}_knee", f"{side}_ankle"))
        arm = normalize(motion.bone(body, f"{side}_shoulder", f"{side}_elbow"))
        forearm = normalize(motion.bone(body, f"{side}_elbow", f"{side}_wrist"))
        good &= (_dot(thigh, up) < -STRAIGHT_LEG) & (_dot(shin, up) < -STRAIGHT_LEG)
        good &= (_dot(arm, outward) > -STRAIGHT_ARM) & (_dot(arm, forearm) > STRAIGHT_ARM)
    return good


def nearest_to_rest(motion: SourceMotion, body: BodyMap) -> int:
    """The frame in which legs and arms are straightest and the body turned least in itself."""
    up = trunk_direction(motion, body)
    left = normalize(motion.bone(body, "right_hip", "left_hip"))
    score = _dot(left, normalize(motion.bone(body, "right_shoulder", "left_shoulder")))
    for side, outward in (("left", left), ("right", -left)):
        for upper, lower in (("hip", "knee"), ("knee", "ankle")):
            score -= _dot(normalize(motion.bone(body, f"{side}_{upper}", f"{side}_{lower}")), up)
        for upper, lower in (("shoulder", "elbow"), ("elbow", "wrist")):
            limb = normalize(motion.bone(body, f"{side}_{upper}", f"{side}_{lower}"))
            score += _dot(limb, outward)
    return int(score.argmax())


def anchor_pose(anchor: Anchor, body: BodyMap) -> Float[Tensor, "22 3 3"]:
    """World_from_joint of our body in the anchor's pose, in the source's axes.

    Pelvis and chest are set by the lines through hips and shoulders and by the direction up the
    body; limbs follow by swings from there, which leaves arms and legs a natural twist.
    """
    offsets = rest_offsets(anchor.pose.places)
    directions = limb_directions(anchor.pose, body)
    pelvis, chest = _torso(anchor, body, "hip"), _torso(anchor, body, "shoulder")
    shares = dict(zip(("pelvis", "spine1", "spine2", "spine3"), SPINE_SHARES, strict=True))
    ours: list[Tensor] = []
    for joint in range(JOINTS):
        ours.append(ours[PARENTS[joint]] if joint else pelvis)
        for name, share in shares.items():
            if JOINT[name] == joint:
                ours[joint] = slerp(pelvis, chest, torch.tensor(share).to(pelvis))
        for upper, lower in LIMBS:
            if upper == joint and (upper, lower) in directions:
                turn = swing(ours[joint] @ offsets[lower], directions[upper, lower][0])
                ours[joint] = turn @ ours[joint]
    return torch.stack(ours)


def _spine_shares() -> tuple[float, ...]:
    lengths = [0.0, *(bone_length(JOINT[name]) for name in ("spine1", "spine2", "spine3"))]
    return tuple(sum(lengths[: count + 1]) / sum(lengths) for count in range(len(lengths)))


# How far up the back pelvis, spine1, spine2 and spine3 lie: 0 the pelvis, 1 the chest.
SPINE_SHARES = _spine_shares()


def _torso(anchor: Anchor, body: BodyMap, line: str) -> Float[Tensor, "3 3"]:
    """Rotation that puts our rest body's up and left-right line onto the source's."""
    rest = rest_offsets(anchor.pose.places).clone()
    for joint in range(1, JOINTS):
        rest[joint] += rest[PARENTS[joint]]
    our_trunk = rest[JOINT["neck"]] - rest[JOINT["pelvis"]]
    our_across = rest[JOINT[f"left_{line}"]] - rest[JOINT[f"right_{line}"]]
    across = anchor.pose.bone(body, f"right_{line}", f"left_{line}")[0]
    trunk = trunk_direction(anchor.pose, body)[0]
    axis = torch.zeros_like(trunk)
    axis[trunk.abs().argmax()] = torch.sign(trunk[trunk.abs().argmax()])
    lean = torch.rad2deg(torch.acos((trunk @ axis).clamp(-1, 1)))
    if anchor.stands and lean < UPRIGHT_WITHIN_DEGREES:
        return _frame(axis, across) @ _frame(our_trunk.new_tensor([0.0, 1.0, 0.0]), our_across).T
    return _frame(trunk, across) @ _frame(our_trunk, our_across).T


def _frame(up: Float[Tensor, "3"], across: Float[Tensor, "3"]) -> Float[Tensor, "3 3"]:
    """Columns: left, up, forward."""
    up = normalize(up, dim=-1)
    forward = normalize(torch.linalg.cross(across, up), dim=-1)
    return torch.stack([torch.linalg.cross(up, forward), up, forward], dim=-1)


def _dot(first: Float[Tensor, "frames 3"], second: Float[Tensor, "frames 3"]) -> Tensor:
    return (first * second).sum(-1)
