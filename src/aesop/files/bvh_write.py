"""Write a clip as BVH: our skeleton with SMPL's names, y up, in centimetres as most tools expect.

A BVH holds turns and the path of the root; places that do not follow from those on our skeleton
are not in it.
"""

import io
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.files.atomic import atomic_path
from aesop.files.bvh import BvhMotion
from aesop.scene.human import Clip
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.skeleton import JOINT, JOINT_NAMES, PARENTS, REST_OFFSETS, world_from_rest

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
