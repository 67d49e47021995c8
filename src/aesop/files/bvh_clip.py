"""Clips from BVH files of any known skeleton, and BVH files from clips."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
from aesop.files.bvh import BvhMotion, joint_offsets, joint_turns, read_bvh, repeated_cycle
from aesop.files.foreign_clip import (
    Calibration,
    CalibrationPose,
    ForeignTake,
    Units,
    find_body,
    foreign_clip,
)
from aesop.files.foreign_skeleton import SourceMotion, posed_tree
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


@dataclass(frozen=True)
class CalibrationFrame:
    """A frame of another file of the same skeleton in which the person stands straight."""

    path: Path
    frame: int


def read_bvh_clip(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    up: UpAxis | None = None,
    calibration: Calibration | CalibrationFrame | None = None,
    cycles: int = 1,
    loop: int | None = None,
) -> Clip:
    """The motion of a BVH file on our skeleton at our rate, its lowest joint on the ground.

    What is not given is found out: the rate from the header, units and up axis from the skeleton.
    `calibration` names the pose to be taken as standing straight: the rest pose, or a first frame
    made for that purpose, which is then dropped (CMU's takes have one), or a frame of another file.
    A file that holds one period of a gait is played `loop` times on end, and refused if its last
    pose is not its first; with `cycles` its columns are repeated unseen, as Fables was built.
    """
    bvh = read_bvh(path, fps=fps)
    take = bvh_take(repeated_cycle(bvh, cycles))
    if isinstance(calibration, CalibrationFrame):
        calibration = _pose_of(calibration)
    return foreign_clip(
        take, path, units=units, up=up, calibration=calibration, notes=bvh.notes, loop=loop
    )


def _pose_of(calibration: CalibrationFrame) -> CalibrationPose:
    """The pose in a frame of a file."""
    path, frame = calibration.path, calibration.frame
    other = find_body(bvh_take(read_bvh(path)), path)
    if not 0 <= frame < other.motion.frames:
        raise FileError(
            f"{path} has {other.motion.frames} frames, so no frame {frame}.",
            "Name one of its frames, counted from 0.",
        )
    pose = other.motion.part(slice(frame, frame + 1))
    return CalibrationPose(other.body, pose, f"frame {frame} of {path.name}")


def bvh_take(bvh: BvhMotion) -> ForeignTake:
    """The tree of a BVH file. Its rest pose is that of its offsets, nothing turned."""

    def parents(chosen: Sequence[int]) -> list[int]:
        return [
            chosen.index(parent) if (parent := bvh.joints[joint].parent) >= 0 else -1
            for joint in chosen
        ]

    def motion(chosen: Sequence[int]) -> SourceMotion:
        return posed_tree(joint_turns(bvh, chosen), joint_offsets(bvh, chosen), parents(chosen))

    def rest(chosen: Sequence[int]) -> SourceMotion:
        offsets = bvh.values.new_tensor([bvh.joints[joint].offset for joint in chosen])
        unturned = torch.eye(3).to(offsets).expand(1, len(chosen), 3, 3)
        return posed_tree(unturned, offsets[None], parents(chosen))

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
    # In single precision and joint by joint: half an hour of hands takes gigabytes in double.
    rotations = torch.empty(bvh.frames, len(joints), 3, 3)
    offsets = torch.empty(bvh.frames, len(joints), 3)
    for joint in range(len(joints)):
        rotations[:, joint] = joint_turns(bvh, [joint])[:, 0]
        offsets[:, joint] = joint_offsets(bvh, [joint])[:, 0]
    return Armature(
        names=tuple(joint.name for joint in joints),
        parents=tuple(joint.parent for joint in joints),
        is_end=tuple(joint.is_end for joint in joints),
        rest_rotations=torch.eye(3).expand(len(joints), 3, 3).contiguous(),
        rest_offsets=torch.tensor([joint.offset for joint in joints], dtype=torch.float32),
        rotations=rotations,
        offsets=offsets,
        channels=tuple(joint.channels for joint in joints),
    )


def write_bvh(clip: Clip, path: Path, size: float = 1.0) -> None:
    """Write turns and pelvis path of a clip; `read_bvh_clip` gives the same clip back."""
    with atomic_path(path) as temporary:
        temporary.write_text(bvh_text(clip, size), encoding="ascii", newline="\n")


def bvh_text(clip: Clip, size: float = 1.0) -> str:
    """What a BVH file of the clip says; `size` is the person's beside our skeleton."""
    order: list[int] = []
    lines = ["HIERARCHY", *_tree(0, 0, order, size), "MOTION"]
    lines += [f"Frames: {clip.frames}", f"Frame Time: {1 / clip.fps:.10g}"]
    table = io.StringIO()
    np.savetxt(table, _rows(clip, order), fmt="%.6f")
    return "\n".join([*lines, table.getvalue()])


# Channels of a joint that came from no BVH, as most programs write them.
_USUAL_CHANNELS = ("zrotation", "xrotation", "yrotation")
_PLACE_CHANNELS = ("xposition", "yposition", "zposition")


def armature_text(armature: Armature, fps: float) -> str:
    """The file's own skeleton and frames as BVH: the same tree, channels and numbers, in the
    file's units and axes."""
    channels = [_channels_of(armature, joint) for joint in range(len(armature.names))]
    order: list[int] = []
    lines = ["HIERARCHY"]
    for joint, parent in enumerate(armature.parents):
        if parent < 0:
            lines += _armature_tree(armature, channels, joint, 0, order)
    columns = [
        _channel_values(armature, joint, channels[joint]) for joint in order if channels[joint]
    ]
    lines += ["MOTION", f"Frames: {armature.frames}", f"Frame Time: {1 / fps:.10g}"]
    table = io.StringIO()
    np.savetxt(table, np.concatenate(columns, axis=1), fmt="%.6f")
    return "\n".join([*lines, table.getvalue()])


def write_armature(armature: Armature, fps: float, path: Path) -> None:
    """Write the file's own skeleton and frames as BVH."""
    with atomic_path(path) as temporary:
        temporary.write_text(armature_text(armature, fps), encoding="utf-8", newline="\n")


def _channels_of(armature: Armature, joint: int) -> tuple[str, ...]:
    if armature.is_end[joint]:
        return ()
    if armature.channels:
        channels = armature.channels[joint]
        turns = [channel for channel in channels if channel.endswith("rotation")]
        # Two angles alone cannot always be told from a turn; with a third they can.
        missing = [name for name in _USUAL_CHANNELS if len(turns) == 2 and name not in turns]
        return (*channels, *missing)
    moves = bool((armature.offsets[:, joint] != armature.rest_offsets[joint]).any())
    is_placed = moves or armature.parents[joint] < 0
    return (*(_PLACE_CHANNELS if is_placed else ()), *_USUAL_CHANNELS)


def _channel_values(
    armature: Armature, joint: int, channels: tuple[str, ...]
) -> Float[np.ndarray, "frames channels"]:
    """Numbers of one joint, angles in degrees without jumps of a whole turn. Fewer than three
    turns are part of a product in which the others are nothing."""
    axes = "".join(channel[0] for channel in channels if channel.endswith("rotation"))
    order = axes + "".join(axis for axis in "xyz" if axis not in axes)
    angles = euler_from_matrix(armature.rotations[:, joint].double(), order).numpy()
    angles = np.rad2deg(np.unwrap(angles, axis=0))
    places = armature.offsets[:, joint].double().numpy()
    values = {f"{axis}rotation": angles[:, at] for at, axis in enumerate(order)}
    values |= {f"{axis}position": places[:, at] for at, axis in enumerate("xyz")}
    return np.stack([values[channel] for channel in channels], axis=1)


def _armature_tree(
    armature: Armature,
    channels: list[tuple[str, ...]],
    joint: int,
    depth: int,
    order: list[int],
) -> list[str]:
    """Lines of a joint and all below it, as `_tree` writes ours."""
    order.append(joint)
    tabs, inner = "\t" * depth, "\t" * (depth + 1)
    offset = " ".join(f"{number:.6f}" for number in armature.rest_offsets[joint].tolist())
    if armature.is_end[joint]:
        head = "End Site"
    else:
        head = f"{'JOINT' if depth else 'ROOT'} {armature.names[joint]}"
    lines = [f"{tabs}{head}", f"{tabs}{{", f"{inner}OFFSET {offset}"]
    if channels[joint]:
        spelled = " ".join(name[0].upper() + name[1:] for name in channels[joint])
        lines.append(f"{inner}CHANNELS {len(channels[joint])} {spelled}")
    for child, parent in enumerate(armature.parents):
        if parent == joint:
            lines += _armature_tree(armature, channels, child, depth + 1, order)
    return [*lines, f"{tabs}}}"]


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


def _tree(joint: int, depth: int, order: list[int], size: float = 1.0) -> list[str]:
    """Lines of a joint and all below it; appends joints to `order` as the numbers will follow."""
    order.append(joint)
    tabs, inner = "\t" * depth, "\t" * (depth + 1)
    offset = REST_OFFSETS[joint] if depth else (0.0, 0.0, 0.0)
    turns = " ".join(f"{axis.upper()}rotation" for axis in _ORDERS[joint])
    channels = f"3 {turns}" if depth else f"6 Xposition Yposition Zposition {turns}"
    lines = [
        f"{tabs}{'JOINT' if depth else 'ROOT'} {JOINT_NAMES[joint]}",
        f"{tabs}{{",
        f"{inner}OFFSET {_centimetres(offset, size)}",
        f"{inner}CHANNELS {channels}",
    ]
    for child, parent in enumerate(PARENTS):
        if parent == joint:
            lines += _tree(child, depth + 1, order, size)
    if joint in _END_SITES:
        end = f"{inner}\tOFFSET {_centimetres(_END_SITES[joint], size)}"
        lines += [f"{inner}End Site", f"{inner}{{", end, f"{inner}}}"]
    return [*lines, f"{tabs}}}"]


def _centimetres(offset: tuple[float, float, float], size: float = 1.0) -> str:
    return " ".join(f"{size * CENTIMETRES * number:.6f}" for number in offset)
