"""A foreign body in motion, in its own axes and units, and which of its joints is which of ours."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.joint_names import (
    ANKLE,
    COLLAR,
    EVERYWHERE,
    HEAD,
    LOWER_ARM,
    LOWER_LEG,
    NAMINGS,
    OPTIONAL,
    PELVIS,
    TOES,
    UPPER_ARM,
    UPPER_LEG,
    WRIST,
    Naming,
    pelvis_candidates,
    spelled_joints,
)
from aesop.scene.skeleton import JOINT, JOINT_NAMES

# Limbs that bend in the middle.
_JOINTED = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))


@dataclass(frozen=True)
class BodyMap:
    """Where our joints are found in a foreign skeleton.

    `joints` follows our order; None where the file has no such joint. Spine and neck are kept as
    chains, because skeletons differ most in how many joints they give a back.
    """

    naming: str
    joints: tuple[int | None, ...]
    trunk: tuple[int, ...]  # from the pelvis to the joint that carries arms and head, both included
    nape: tuple[int, ...]  # what lies between that joint and the head

    def index(self, name: str) -> int:
        """Index of a joint that every matched skeleton has."""
        joint = self.joints[JOINT[name]]
        assert joint is not None, name
        return joint


@dataclass(frozen=True)
class Mismatch:
    """The naming that came closest, and which of our joints it could not find."""

    naming: str
    unmatched: tuple[str, ...]


def match_names(names: Sequence[str], parents: Sequence[int]) -> BodyMap | Mismatch:
    """Find our body in a tree of named joints; End Sites must carry an empty name. Knees and elbows
    that nothing calls so are the only joint between the ends of their limb, as where an "arm" is
    followed by an "arm 1"."""
    body = _match(names, parents, by_place=False)
    if isinstance(body, BodyMap):
        return body
    placed = _match(names, parents, by_place=True)
    return placed if isinstance(placed, BodyMap) else body


def _match(names: Sequence[str], parents: Sequence[int], by_place: bool) -> BodyMap | Mismatch:
    """The body in the words of one family, or else of all."""
    spelled, hips = spelled_joints(names), pelvis_candidates(names)
    best = Mismatch("", JOINT_NAMES)
    namings = [n for n in NAMINGS if all(mark in spelled for mark in n.hallmarks)]
    for naming in (*namings, None):
        joints = _mixed(spelled, parents) if naming is None else _matched(naming, spelled)
        joints = _on_lowest_hips(joints, hips, parents)
        joints = _with_middles(joints, parents) if by_place else joints
        name = "mixed" if naming is None else naming.name
        missing = tuple(
            JOINT_NAMES[joint]
            for joint, match in enumerate(joints)
            if match is None and joint not in OPTIONAL
        )
        if not missing:
            return _with_chains(name, joints, parents)
        if len(missing) < len(best.unmatched):
            best = Mismatch(name, missing)
    return best


def _with_middles(joints: list[int | None], parents: Sequence[int]) -> list[int | None]:
    """The joints with knees and elbows that the tree alone shows."""
    joints = list(joints)
    for side in ("left", "right"):
        for upper, middle, lower in _JOINTED:
            ends = joints[JOINT[f"{side}_{upper}"]], joints[JOINT[f"{side}_{lower}"]]
            if joints[JOINT[f"{side}_{middle}"]] is not None or None in ends:
                continue
            above, line = ends[0], _line(ends[1] or 0, parents)
            between = line[line.index(above) + 1 : -1] if above in line else []
            if len(between) == 1:
                joints[JOINT[f"{side}_{middle}"]] = between[0]
    return joints


def _mixed(spelled: dict[str, int], parents: Sequence[int]) -> list[int | None]:
    """The counterpart of each of our joints by words of all families. Hips that are called after
    something else are the joint where both legs and the head meet."""
    joints: list[int | None] = [None] * len(JOINT_NAMES)

    def first(words: Sequence[str], side: str = "") -> int | None:
        marks = (f"{side[0]}.{word}" if side else word for word in words)
        return next((spelled[mark] for mark in marks if mark in spelled), None)

    for side in ("left", "right"):
        thigh, shin = first(UPPER_LEG, side), first(LOWER_LEG, side)
        leg, ankle = first(("leg",), side), first(("ankle",), side)
        shin = shin if shin is not None else leg
        thigh = thigh if thigh is not None else first(("hip",), side)
        thigh = thigh if thigh is not None or leg == shin else leg
        arm = first(UPPER_ARM, side)
        shoulder = first(("shoulder",), side)
        found = {
            "hip": thigh,
            "knee": shin,
            "ankle": ankle if ankle is not None else first(ANKLE, side),
            "foot": first(TOES if ankle is None else (*TOES, "foot"), side),
            "collar": first(COLLAR, side) if arm is None else first((*COLLAR, "shoulder"), side),
            "shoulder": arm if arm is not None else shoulder,
            "elbow": first(LOWER_ARM, side),
            "wrist": first(WRIST, side),
        }
        for part, joint in found.items():
            joints[JOINT[f"{side}_{part}"]] = joint
    joints[JOINT["neck"]], joints[JOINT["head"]] = first(EVERYWHERE["neck"]), first(HEAD)
    pelvis = first(PELVIS)
    corners = [joints[JOINT[name]] for name in ("left_hip", "right_hip", "head")]
    if pelvis is None and None not in corners:
        pelvis = _meeting([corner for corner in corners if corner is not None], parents)
    joints[JOINT["pelvis"]] = pelvis
    return joints


def _on_lowest_hips(
    joints: list[int | None], hips: Sequence[int], parents: Sequence[int]
) -> list[int | None]:
    """The joints with the lowest of several hips that carry both legs and the head: what stands
    above the person is often called after the person's hips."""
    corners = [joints[JOINT[name]] for name in ("left_hip", "right_hip", "head")]
    found = [corner for corner in corners if corner is not None]
    meeting = _meeting(found, parents) if len(found) == len(corners) else None
    line = [] if meeting is None else _line(meeting, parents)
    lowest = [joint for joint in line if joint in hips]
    if not lowest or joints[JOINT["pelvis"]] not in line:
        return joints
    return [lowest[-1], *joints[1:]]


def _meeting(joints: Sequence[int], parents: Sequence[int]) -> int | None:
    """The lowest joint above all of these."""
    lines = [_line(joint, parents) for joint in joints]
    shared = [joint for joint in lines[0] if all(joint in line for line in lines)]
    return shared[-1] if shared else None


def _line(joint: int, parents: Sequence[int]) -> list[int]:
    """The joint and its ancestors, root first."""
    chain = [joint]
    while parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    return chain[::-1]


def _matched(naming: Naming, spelled: dict[str, int]) -> list[int | None]:
    """The counterpart of each of our joints; spine joints are found as chains."""
    spellings = {**naming.parts, **EVERYWHERE}
    joints: list[int | None] = []
    for name in JOINT_NAMES:
        side, _, part = name.rpartition("_")  # "left_hip" or "head"
        marks = (f"{side[0]}.{word}" if side else word for word in spellings.get(part, ()))
        joints.append(next((spelled[mark] for mark in marks if mark in spelled), None))
    return joints


def _with_chains(
    naming: str, joints: list[int | None], parents: Sequence[int]
) -> BodyMap | Mismatch:
    def line(name: str) -> list[int]:
        joint = joints[JOINT[name]]
        assert joint is not None
        return _line(joint, parents)

    pelvis, head = line("pelvis"), line("head")
    arms = [line("left_shoulder"), line("right_shoulder")]
    shared = [joint for joint in head if all(joint in arm for arm in arms)]
    for side in ("left", "right"):
        for upper, middle, lower in _JOINTED:
            chain = line(f"{side}_{lower}")
            in_line = [joints[JOINT[f"{side}_{part}"]] in chain for part in (upper, middle)]
            if not all(in_line):
                return Mismatch(naming, (f"{side}_{upper} above {side}_{lower}",))
    if not shared:
        return Mismatch(naming, ("a joint that carries both arms and the head",))
    chest = shared[-1]
    back = [joint for joint in shared if joint not in pelvis]
    trunk = (pelvis[-1], *back) if chest != pelvis[-1] else (chest,)
    nape = tuple(head[head.index(chest) + 1 : -1])
    return BodyMap(naming, tuple(joints), trunk, nape)


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

    def part(self, frames: slice) -> "SourceMotion":
        """Some frames of the motion."""
        return SourceMotion(self.world_from_joint[frames], self.places[frames])

    def bone(self, body: BodyMap, upper: str, lower: str) -> Float[Tensor, "frames 3"]:
        """Vector between the counterparts of two of our joints."""
        return self.places[:, body.index(lower)] - self.places[:, body.index(upper)]

    def since(self, pose: "SourceMotion", joint: int) -> Float[Tensor, "frames 3 3"]:
        """How a joint has turned in the world since a pose of one frame."""
        return self.world_from_joint[:, joint] @ pose.world_from_joint[0, joint].T


def posed_tree(
    turns: Float[Tensor, "frames chosen 3 3"],
    offsets: Float[Tensor, "frames chosen 3"],
    parents: list[int],
) -> SourceMotion:
    """Forward kinematics along any tree, in the file's axes and units."""
    world: list[Tensor] = []
    places: list[Tensor] = []
    for joint, parent in enumerate(parents):
        if parent < 0:
            world.append(turns[:, joint])
            places.append(offsets[:, joint])
        else:
            world.append(world[parent] @ turns[:, joint])
            bone = (world[parent] @ offsets[:, joint, :, None]).squeeze(-1)
            places.append(places[parent] + bone)
    return SourceMotion(torch.stack(world, dim=1), torch.stack(places, dim=1))


def limb_directions(
    motion: SourceMotion, body: BodyMap
) -> dict[tuple[int, int], Float[Tensor, "frames 3"]]:
    """Unit directions of the limbs. A foot without toes has none and is left out."""
    directions: dict[tuple[int, int], Tensor] = {}
    for upper, lower in LIMBS:
        above, below = body.joints[upper], body.joints[lower]
        if above is not None and below is not None:
            bone = motion.places[:, below] - motion.places[:, above]
            directions[upper, lower] = normalize(bone, dim=-1)
    return directions


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
