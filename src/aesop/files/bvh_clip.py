"""Clips from BVH files of any known skeleton, and BVH files from clips."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.whole_files import atomic_path
from aesop.files.bvh import BvhMotion, joint_offsets, joint_turns, read_bvh
from aesop.files.foreign_clip import (
    Calibration,
    ForeignBody,
    ForeignTake,
    Units,
    find_body,
    foreign_clip,
)
from aesop.files.foreign_skeleton import SourceMotion
from aesop.scene.human import Clip
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.skeleton import JOINT, JOINT_NAMES, PARENTS, REST_OFFSETS, world_from_rest
from aesop.scene.source import Armature, UpAxis

# Blender, Maya and Nuke put the first frame of a BVH at frame 1.
START_FRAME = 1

CENTIMETRES = 100.0
# The middle axis is the one a joint turns about least, so that everyday poses stay far from gimbal
# lock: arms hang (z) and reach (y), legs and backs flex (x), a whole body heads (y).
_ORDERS = tuple(
    "yxz" if name == "pelvis" or name.endswith(("collar", "shoulder", "elbow", "wrist")) else "yzx"
    for name in JOINT_NAMES
)
# Ends that only make the last bones visible in other programs, from their joint, in metres.
_END_SITES = {
    JOINT["head"]: (0.0, 0.15, 0.03),
    JOINT["left_wrist"]: (0.08, 0.0, 0.0),
    JOINT["right_wrist"]: (-0.08, 0.0, 0.0),
    JOINT["left_foot"]: (0.0, 0.0, 0.06),
    JOINT["right_foot"]: (0.0, 0.0, 0.06),
}


def read_bvh_clip(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    up: UpAxis | None = None,
    calibration: Calibration | None = None,
) -> Clip:
    """The motion of a BVH file on our skeleton at our rate, its lowest joint on the ground.

    What is not given is found out: the rate from the header, units and up axis from the skeleton.
    `calibration` names the pose to be taken as standing straight: the rest pose, or a first frame
    made for that purpose, which is then dropped (CMU's takes have one).
    """
    take = bvh_take(read_bvh(path, fps=fps))
    return foreign_clip(take, path, units=units, up=up, calibration=calibration)


def bvh_take(bvh: BvhMotion) -> ForeignTake:
    """The tree of a BVH file. Its rest pose is that of its offsets, nothing turned."""

    def parents(chosen: Sequence[int]) -> list[int]:
        return [
            chosen.index(parent) if (parent := bvh.joints[joint].parent) >= 0 else -1
            for joint in chosen
        ]

    def motion(chosen: Sequence[int]) -> SourceMotion:
        return _posed(joint_turns(bvh, chosen), joint_offsets(bvh, chosen), parents(chosen))

    def rest(chosen: Sequence[int]) -> SourceMotion:
        offsets = bvh.values.new_tensor([bvh.joints[joint].offset for joint in chosen])
        unturned = torch.eye(3).to(offsets).expand(1, len(chosen), 3, 3)
        return _posed(unturned, offsets[None], parents(chosen))

    return ForeignTake(
        names=tuple("" if joint.is_end else joint.name for joint in bvh.joints),
        parents=tuple(joint.parent for joint in bvh.joints),
        has_length=tuple(bool(joint.channels) or any(joint.offset) for joint in bvh.joints),
        fps=bvh.fps,
        kind="BVH",
        motion=motion,
        rests=(rest,),
        up="y" if is_our_own(bvh) else None,
        start_frame=START_FRAME,
        armature=lambda: bvh_armature(bvh),
    )


def bvh_armature(bvh: BvhMotion) -> Armature:
    """The whole tree with all its frames, fingers and End Sites included."""
    joints = bvh.joints
    every = range(len(joints))
    return Armature(
        names=tuple(joint.name for joint in joints),
        parents=tuple(joint.parent for joint in joints),
        is_end=tuple(joint.is_end for joint in joints),
        rest_rotations=torch.eye(3).expand(len(joints), 3, 3).contiguous(),
        rest_offsets=torch.tensor([joint.offset for joint in joints], dtype=torch.float32),
        rotations=joint_turns(bvh, every).float(),
        offsets=joint_offsets(bvh, every).float(),
        channels=tuple(joint.channels for joint in joints),
    )


def bvh_body(bvh: BvhMotion, path: Path) -> ForeignBody:
    """The body in the tree of a BVH file."""
    return find_body(bvh_take(bvh), path)


def _posed(
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


def write_bvh(clip: Clip, path: Path) -> None:
    """Write turns and pelvis path of a clip; `read_bvh_clip` gives the same clip back."""
    with atomic_path(path) as temporary:
        temporary.write_text(bvh_text(clip), encoding="ascii", newline="\n")


def bvh_text(clip: Clip) -> str:
    """What a BVH file of the clip says."""
    order: list[int] = []
    lines = ["HIERARCHY", *_tree(0, 0, order), "MOTION"]
    lines += [f"Frames: {clip.frames}", f"Frame Time: {1 / clip.fps:.10g}"]
    table = io.StringIO()
    np.savetxt(table, _rows(clip, order), fmt="%.6f")
    return "\n".join([*lines, table.getvalue()])


def is_our_own(bvh: BvhMotion) -> bool:
    """Whether a file has exactly the tree that `write_bvh` writes, so that its axes are known."""
    order: list[int] = []
    _tree(0, 0, order)
    joints = [joint for joint in bvh.joints if not joint.is_end]
    return bvh.names == tuple(JOINT_NAMES[joint] for joint in order) and all(
        _centimetres(REST_OFFSETS[ours]) == " ".join(f"{x:.6f}" for x in theirs.offset)
        for ours, theirs in zip(order[1:], joints[1:], strict=True)
    )


def _rows(clip: Clip, order: list[int]) -> Float[np.ndarray, "frames channels"]:
    rotations = clip.motion.rotations.double().clone()
    file_from_world = world_from_rest(rotations).T
    rotations[:, 0] = file_from_world @ rotations[:, 0]
    turns = [euler_from_matrix(rotations[:, joint], _ORDERS[joint]) for joint in order]
    # Without jumps of a whole turn, so that other programs can interpolate.
    angles = np.rad2deg(np.unwrap(torch.cat(turns, dim=-1).numpy(), axis=0))
    root = clip.motion.root.double() @ file_from_world.T * CENTIMETRES
    return np.concatenate([root.numpy(), angles], axis=1)


def _tree(joint: int, depth: int, order: list[int]) -> list[str]:
    """Lines of a joint and all below it; appends joints to `order` as the numbers will follow."""
    order.append(joint)
    tabs, inner = "\t" * depth, "\t" * (depth + 1)
    offset = REST_OFFSETS[joint] if depth else (0.0, 0.0, 0.0)
    turns = " ".join(f"{axis.upper()}rotation" for axis in _ORDERS[joint])
    channels = f"3 {turns}" if depth else f"6 Xposition Yposition Zposition {turns}"
    lines = [
        f"{tabs}{'JOINT' if depth else 'ROOT'} {JOINT_NAMES[joint]}",
        f"{tabs}{{",
        f"{inner}OFFSET {_centimetres(offset)}",
        f"{inner}CHANNELS {channels}",
    ]
    for child, parent in enumerate(PARENTS):
        if parent == joint:
            lines += _tree(child, depth + 1, order)
    if joint in _END_SITES:
        end = f"{inner}\tOFFSET {_centimetres(_END_SITES[joint])}"
        lines += [f"{inner}End Site", f"{inner}{{", end, f"{inner}}}"]
    return [*lines, f"{tabs}}}"]


def _centimetres(offset: tuple[float, float, float]) -> str:
    return " ".join(f"{CENTIMETRES * number:.6f}" for number in offset)
