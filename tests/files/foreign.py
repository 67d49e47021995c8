"""Our own motions written as other people's BVH: other names, units, axes, rest poses, lengths."""

from dataclasses import dataclass, field
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.human import Clip
from aesop.scene.rotation import euler_from_matrix, matrix_from_axis_angle
from aesop.scene.skeleton import (
    JOINT,
    JOINT_NAMES,
    JOINTS,
    PARENTS,
    rest_offsets,
    world_from_rest,
    world_rotations,
)

_CENTRE = ("pelvis", "spine1", "spine2", "spine3", "neck", "head")
_PARTS = ("hip", "knee", "ankle", "foot", "collar", "shoulder", "elbow", "wrist")


def naming(centre: str, parts: str, left: str, right: str) -> tuple[str, ...]:
    """Names in our order, from words for the middle and for one side; {} is the part."""
    middle: dict[str, str] = dict(zip(_CENTRE, centre.split(","), strict=True))
    side: dict[str, str] = dict(zip(_PARTS, parts.split(","), strict=True))
    names: list[str] = []
    for name in JOINT_NAMES:
        which, _, part = name.partition("_")
        form = {"left": left, "right": right}.get(which)
        names.append(form.format(side[part]) if form else middle[name])
    return tuple(names)


_MIXAMO = "UpLeg,Leg,Foot,ToeBase,Shoulder,Arm,ForeArm,Hand"
_BANDAI = "UpperLeg,LowerLeg,Foot,Toes,Shoulder,UpperArm,LowerArm,Hand"
DIALECTS = {
    "mixamo": naming(
        "mixamorig:Hips,mixamorig:Spine,mixamorig:Spine1,mixamorig:Spine2,mixamorig:Neck,"
        "mixamorig:Head", _MIXAMO, "mixamorig:Left{}", "mixamorig:Right{}",
    ),
    "mixamo without prefix": naming(
        "Hips,Spine,Spine1,Spine2,Neck,Head", _MIXAMO, "Left{}", "Right{}"
    ),
    "numbered namespace": naming(
        "mixamorig1_Hips,mixamorig1_Spine,mixamorig1_Spine1,mixamorig1_Spine2,mixamorig1_Neck,"
        "mixamorig1_Head", _MIXAMO, "mixamorig1_Left{}", "mixamorig1_Right{}",
    ),
    "bandai": naming("Hips,Spine,Spine1,Chest,Neck,Head", _BANDAI, "{}_L", "{}_R"),
    "unity": naming("hips,spine,chest,upperChest,neck,head", _BANDAI, "left{}", "right{}"),
    "upper case": naming(
        "HIPS,SPINE,SPINE1,SPINE2,NECK,HEAD",
        "UPLEG,LEG,FOOT,TOEBASE,SHOULDER,ARM,FOREARM,HAND", "LEFT{}", "RIGHT{}",
    ),
    "unreal": naming(
        "pelvis,spine_01,spine_02,spine_03,neck_01,head",
        "thigh,calf,foot,ball,clavicle,upperarm,lowerarm,hand", "{}_l", "{}_r",
    ),
    "biped": naming(
        "Bip01 Pelvis,Bip01 Spine,Bip01 Spine1,Bip01 Spine2,Bip01 Neck,Bip01 Head",
        "Thigh,Calf,Foot,Toe0,Clavicle,UpperArm,Forearm,Hand", "Bip01 L {}", "Bip01 R {}",
    ),
    "anatomical": naming(
        "Hips,Chest,Chest2,Chest3,Neck,Head",
        "Hip,Knee,Ankle,Toe,Collar,Shoulder,Elbow,Wrist", "Left{}", "Right{}",
    ),
    "poser": naming(
        "hip,abdomen,chest,upperChest,neck,head",
        "Thigh,Shin,Foot,Toe,Collar,Shldr,ForeArm,Hand", "l{}", "r{}",
    ),
    "smpl": naming(
        "Pelvis,Spine1,Spine2,Spine3,Neck,Head",
        "Hip,Knee,Ankle,Foot,Collar,Shoulder,Elbow,Wrist", "L_{}", "R_{}",
    ),
    "namespaces": naming(
        "set:Bob:Hips,set:Bob:Spine,set:Bob:Spine1,set:Bob:Spine2,set:Bob:Neck,set:Bob:Head",
        _MIXAMO, "set:Bob:Left{}", "set:Bob:Right{}",
    ),
    "one studio's prefix": naming(
        "Model_Hips,Model_Spine,Model_Spine1,Model_Spine2,Model_Neck,Model_Head", _MIXAMO,
        "Model_Left{}", "Model_Right{}",
    ),
}  # fmt: skip


def own_axes() -> Float[Tensor, "22 3 3"]:
    """Joint axes of a skeleton whose rest pose is ours."""
    return torch.eye(3, dtype=torch.float64).expand(JOINTS, 3, 3).clone()


def scrambled_axes(dice: torch.Generator) -> Float[Tensor, "22 3 3"]:
    """Joint axes that lie anyhow in the bones, so that no turns at all make no human pose."""
    return matrix_from_axis_angle(2 * torch.randn(JOINTS, 3, generator=dice, dtype=torch.float64))


@dataclass(frozen=True)
class Foreign:
    """How a file differs from ours. `axes[j]` is our_joint_from_their_joint."""

    names: tuple[str, ...] = DIALECTS["mixamo"]
    metres: float = 0.01
    up: str = "y"
    order: str = "zxy"
    axes: Float[Tensor, "22 3 3"] = field(default_factory=own_axes)
    stretch: Float[Tensor, " 22"] = field(
        default_factory=lambda: torch.ones(JOINTS, dtype=torch.float64)
    )
    moves_all_joints: bool = False
    top: str = ""  # an extra root above the pelvis
    t_pose_first: bool = False

    def offsets(self) -> Float[Tensor, "22 3"]:
        """Offsets from the parent in the parent's axes and the file's units."""
        bones = rest_offsets(self.stretch) * self.stretch[:, None] / self.metres
        turned = [bones[0] * 0] + [
            self.axes[PARENTS[joint]].T @ bones[joint] for joint in range(1, JOINTS)
        ]
        return torch.stack(turned)

    def posed(
        self, clip: Clip
    ) -> tuple[Float[Tensor, "frames 22 3 3"], Float[Tensor, "frames 22 3"]]:
        """Turns and places of all joints in their parents."""
        rotations, root = clip.motion.rotations.double(), clip.motion.root.double()
        if self.t_pose_first:
            rest = own_axes()
            rest[0] = world_from_rest(rest)
            rotations = torch.cat([rest[None], rotations])
            root = torch.cat([root[:1], root])
        stand = world_from_rest(root).T if self.up == "y" else torch.eye(3).to(root)
        world = stand @ world_rotations(rotations) @ self.axes
        local = world.clone()
        local[:, 1:] = world[:, list(PARENTS[1:])].transpose(-1, -2) @ world[:, 1:]
        places = self.offsets().expand(len(root), JOINTS, 3).clone()
        places[:, 0] = root @ stand.T / self.metres
        return local, places

    def rows(self, clip: Clip) -> Float[Tensor, "frames channels"]:
        """The numbers of all frames, joints in the order of `depth_first`."""
        local, places = self.posed(clip)
        angles = torch.rad2deg(euler_from_matrix(local, self.order))
        columns = [angles.new_zeros(len(angles), 6)] if self.top else []
        for joint in depth_first():
            if joint == 0 or self.moves_all_joints:
                columns.append(places[:, joint])
            columns.append(angles[:, joint])
        return torch.cat(columns, dim=1)


def depth_first(joint: int = 0) -> list[int]:
    """Our joints as a BVH tree lists them."""
    below = [j for child in range(JOINTS) if PARENTS[child] == joint for j in depth_first(child)]
    return [joint, *below]


def write_foreign(path: Path, clip: Clip, foreign: Foreign) -> Path:
    """A motion of ours as that file."""
    turns = " ".join(f"{axis.upper()}rotation" for axis in foreign.order)
    moves = "Xposition Yposition Zposition"
    offsets = foreign.offsets()

    def lines(joint: int) -> list[str]:
        free = joint == 0 or foreign.moves_all_joints
        keyword = "ROOT" if joint == 0 and not foreign.top else "JOINT"
        children = [line for child in range(JOINTS) if PARENTS[child] == joint
                    for line in lines(child)]  # fmt: skip
        end = [] if children else ["End Site", "{", "OFFSET 0 0 0", "}"]
        return [
            f"{keyword} {foreign.names[joint]}", "{",
            "OFFSET " + " ".join(f"{float(number):.9g}" for number in offsets[joint]),
            f"CHANNELS 6 {moves} {turns}" if free else f"CHANNELS 3 {turns}",
            *children, *end, "}",
        ]  # fmt: skip

    tree = lines(JOINT["pelvis"])
    if foreign.top:
        head = [f"ROOT {foreign.top}", "{", "OFFSET 0 0 0", f"CHANNELS 6 {moves} {turns}"]
        tree = [*head, *tree, "}"]
    rows = foreign.rows(clip)
    numbers = [" ".join(f"{number:.9g}" for number in row) for row in rows.tolist()]
    head = ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1 / clip.fps:.9g}"]
    path.write_text("\n".join(["HIERARCHY", *tree, *head, *numbers]) + "\n")
    return path
