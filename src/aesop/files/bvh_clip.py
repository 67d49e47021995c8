"""Clips from BVH files of any known skeleton, and BVH files from clips."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
from aesop.files.bvh import BvhMotion, joint_offsets, joint_turns, read_bvh
from aesop.files.foreign_skeleton import (
    LIMBS,
    BodyMap,
    Mismatch,
    SourceMotion,
    is_t_pose,
    match_names,
    nearest_to_t_pose,
    stands,
    uprightness,
)
from aesop.files.importing import Recording, UpAxis, native_clip
from aesop.files.retarget import Anchor, retarget, source_leg_length
from aesop.scene.human import Clip
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.skeleton import JOINT, JOINT_NAMES, PARENTS, REST_OFFSETS, world_from_rest

Units = Literal["m", "cm", "mm", "inch", "cmu"]
Calibration = Literal["rest", "first_frame"]

METRES: dict[Units, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "cmu": 0.0254 / 0.45,  # CMU's conversion measures in 1/0.45 inch
}
USUAL_LEG_M = 0.8  # thigh and shin of an adult
# A leg may be longer or shorter than the usual one by this factor. Its square stays below 2.54, so
# that centimetres and inches cannot be mistaken for each other.
LEG_RANGE = 1.55
# Uprightness of a body along an axis. Walking gives 0.9, sitting 0.65, crawling 0.6 forwards.
SURELY_UP, PROBABLY_UP = 0.8, 0.5
# A bone shorter than this share of the longest has no direction worth following.
SHORTEST_BONE = 1e-4
# Beyond these lengths, whatever the unit, numbers are not lengths of a person.
TINIEST_BODY = 1e-6

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
    bvh = read_bvh(path, fps=fps)
    source = bvh_body(bvh, path)
    is_y_up = source.body.naming == "CMU" or is_our_own(bvh)
    axis = up or ("y" if is_y_up else _up_axis(source, path))
    motion, anchor, calibrated_on = _calibrated(source, calibration, path)
    leg = source_leg_length(anchor.pose, source.body)
    notes = (
        f"joint names: {source.body.naming}",
        _units_note(leg, units, path),
        f"up axis: {axis} ({'given' if up else 'known' if is_y_up else 'detected'})",
        f"calibrated on {calibrated_on}",
    )
    # A y-up world has the axes of our rest body, so the same turn stands it up.
    places = motion.places
    world_from_source = world_from_rest(places) if axis == "y" else torch.eye(3).to(places)
    turns, root, scale = retarget(motion, anchor, source.body, world_from_source, bvh.fps)
    notes += (f"path scaled by {scale:.6g}, our leg length over the file's",)
    return native_clip(Recording(turns, root, bvh.fps, "BVH", "retargeted", notes), path)


def _up_axis(source: "BvhBody", path: Path) -> UpAxis:
    """The axis along which the rest pose stands, or else the person most of the time.

    Where the two disagree nothing in the file can decide: a swimmer and a walker exported with
    another axis up look the same.
    """
    body, stands_at_rest = source.body, bool(stands(source.rest, source.body))
    rest = _axis(source.rest, body, PROBABLY_UP) if stands_at_rest else None
    moving = _axis(source.motion, body, PROBABLY_UP if rest is None else SURELY_UP)
    if rest is None and moving is None:
        raise FileError(
            f"{path} does not show which axis points up: the body stands along neither +y nor +z.",
            "Give the axis with --up y or --up z.",
        )
    if rest and moving and rest != moving:
        raise FileError(
            f"{path} has a rest pose that stands along {rest} and a motion along {moving}.",
            f"Give the axis that points up: --up {moving}, or --up {rest} if the person lies down.",
        )
    return rest or moving or "y"


def _axis(motion: SourceMotion, body: BodyMap, least: float) -> UpAxis | None:
    _, y, z = uprightness(motion, body).tolist()
    if max(y, z) < least:
        return None
    return "y" if y > z else "z"


def _calibrated(
    source: "BvhBody", calibration: Calibration | None, path: Path
) -> tuple[SourceMotion, Anchor, str]:
    """The motion without its calibration pose, that pose, and which one it is."""
    motion, body = source.motion, source.body
    first = motion.part(slice(1))
    if calibration is None and body.naming == "CMU" and bool(is_t_pose(first, body)):
        calibration = "first_frame"
    if calibration == "first_frame":
        if motion.frames < 3:
            raise FileError(
                f"{path} has {motion.frames - 1} frame of motion after its calibration pose.",
                "Export more of the motion.",
            )
        after = motion.part(slice(1, None))
        return after, Anchor(first, True), "the first frame, which is dropped"
    if calibration == "rest" or bool(stands(source.rest, body)):
        check_bones(source.rest, body, path)
        return motion, Anchor(source.rest, True), "the rest pose"
    frame = nearest_to_t_pose(motion, body)
    anchor = Anchor(motion.part(slice(frame, frame + 1)), False)
    return motion, anchor, f"frame {frame}, since the rest pose does not stand"


def _units_note(leg: float, units: Units | None, path: Path) -> str:
    """Units only need to be known, not applied: the path is scaled by leg lengths."""
    if units is not None:
        if not _is_leg(leg * METRES[units], slack=2.0):
            raise FileError(
                f"{path} has legs of {leg * METRES[units]:.3g} m if its unit is {units}.",
                "Give the true unit, or none to have it detected.",
            )
        return f"units: {units} (given)"
    likely = min(METRES, key=lambda unit: abs(math.log(leg * METRES[unit] / USUAL_LEG_M)))
    if _is_leg(leg * METRES[likely]):
        return f"units: {likely} (detected)"
    return f"units: unknown, legs of {leg:.4g}"


def _is_leg(metres: float, slack: float = 1.0) -> bool:
    return abs(math.log(metres / USUAL_LEG_M)) < math.log(LEG_RANGE * slack)


@dataclass(frozen=True, eq=False)
class BvhBody:
    """A body found in a tree: its motion and its rest pose, without fingers and other extras."""

    body: BodyMap
    motion: SourceMotion
    rest: SourceMotion


def bvh_body(bvh: BvhMotion, path: Path) -> BvhBody:
    """Find and pose our joints' counterparts; refuse a file that lacks some of them."""
    body = _with_toes(_matched(bvh, path), bvh)
    chosen = _ancestry(bvh, [*body.trunk, *body.nape, *(j for j in body.joints if j is not None)])
    body = _renumbered(body, chosen)
    parents = [
        chosen.index(parent) if (parent := bvh.joints[j].parent) >= 0 else -1 for j in chosen
    ]
    motion = _posed(joint_turns(bvh, chosen), joint_offsets(bvh, chosen), parents)
    offsets = motion.places.new_tensor([bvh.joints[joint].offset for joint in chosen])
    unturned = torch.eye(3).to(offsets).expand(1, len(chosen), 3, 3)
    check_bones(motion, body, path)
    return BvhBody(body, motion, _posed(unturned, offsets[None], parents))


def check_bones(motion: SourceMotion, body: BodyMap, path: Path) -> None:
    """Refuse a body in which two ends of a bone coincide: it points nowhere."""
    lines = [("left_hip", "right_hip"), ("left_shoulder", "right_shoulder"), ("pelvis", "head")]
    lines += [
        (JOINT_NAMES[upper], JOINT_NAMES[lower])
        for upper, lower in LIMBS
        if body.joints[lower] is not None
    ]
    lengths = torch.stack(
        [torch.linalg.vector_norm(motion.bone(body, *line), dim=-1) for line in lines]
    )
    longest = float(lengths.max())
    if not TINIEST_BODY < longest < 1 / TINIEST_BODY:
        raise FileError(
            f"{path} has a body whose longest bone measures {longest:.3g}.",
            "Export it in metres, centimetres, millimetres or inches.",
        )
    collapsed = lengths <= SHORTEST_BONE * longest
    if bool(collapsed.any()):
        line, frame = (int(index) for index in collapsed.nonzero()[0])
        raise FileError(
            f"In frame {frame} of {path} the joints for {lines[line][0]} and {lines[line][1]} "
            "are in one place.",
            "Export the skeleton with its offsets, every frame filled.",
        )


def _matched(bvh: BvhMotion, path: Path) -> BodyMap:
    names = ["" if joint.is_end else joint.name for joint in bvh.joints]
    body = match_names(names, [joint.parent for joint in bvh.joints])
    if isinstance(body, Mismatch):
        raise FileError(
            f"{path} has no joint that AESOP recognises as {', '.join(body.unmatched)} "
            f"(closest naming: {body.naming}); its joints are {', '.join(bvh.names)}.",
            "Rename the joints as Mixamo, Bandai-Namco or SMPL do.",
        )
    return body


def _with_toes(body: BodyMap, bvh: BvhMotion) -> BodyMap:
    """End Sites of the feet stand in for toes that have no joint or sit on the ankle."""
    joints = list(body.joints)
    for side in ("left", "right"):
        ankle, toes = body.index(f"{side}_ankle"), joints[JOINT[f"{side}_foot"]]
        ends = [k for k, joint in enumerate(bvh.joints) if joint.parent == ankle and joint.is_end]
        candidates = [toes, *ends] if toes is not None else ends
        far = [k for k in candidates if bvh.joints[k].channels or any(bvh.joints[k].offset)]
        joints[JOINT[f"{side}_foot"]] = far[0] if far else None
    return replace(body, joints=tuple(joints))


def _ancestry(bvh: BvhMotion, joints: Sequence[int]) -> list[int]:
    """These joints and all above them, parents first."""
    kept: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in kept:
            kept.add(joint)
            joint = bvh.joints[joint].parent
    return sorted(kept)


def _renumbered(body: BodyMap, chosen: list[int]) -> BodyMap:
    place = {joint: index for index, joint in enumerate(chosen)}
    return BodyMap(
        body.naming,
        tuple(None if joint is None else place[joint] for joint in body.joints),
        tuple(place[joint] for joint in body.trunk),
        tuple(place[joint] for joint in body.nape),
    )


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
